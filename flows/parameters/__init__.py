"""What each flow takes: names, types, limits and help, in one place for the command line, the form and the flow.

Nothing here needs Prefect, so that help and refusals come at once.
"""
