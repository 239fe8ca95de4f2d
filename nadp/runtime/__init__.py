"""How the library runs on a machine: threads, progress, and the versions it runs with."""
