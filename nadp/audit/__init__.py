"""How private a released file really is: its checks, one per file."""
