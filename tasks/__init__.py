"""Prefect tasks: each is a decorator and one call into nadp, or one side effect."""
