"""Audits of how private a released file really is."""
