"""Prefect flows: the order of the tasks, and nothing else."""
