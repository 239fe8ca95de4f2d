"""Threads, progress, optional packages and versions."""
