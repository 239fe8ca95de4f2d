"""Vectors that may be published: noise that nobody can make again, a gate before it, a certificate with it."""
