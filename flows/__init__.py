"""Prefect flows: they only connect the tasks."""
