"""Parameters of each flow: names, types, limits and help, shared by the command line, the form and the flow.

Nothing here needs Prefect, so help and refusals are quick.
"""
