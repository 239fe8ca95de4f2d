"""Prefect tasks: each a decorator and one call into nadp, or one side effect."""
