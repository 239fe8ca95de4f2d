"""Prefect flows: the order of the tasks, and nothing else."""

import logging
import os

# Before Prefect, the Hub's client and Dask are imported: none calls home, the library's log is shown, and Dask's where
# something is wrong.
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("HF_UPDATE_DOWNLOAD_COUNTS", "0")
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")  # a busy machine needs over 20
os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")
os.environ.setdefault("PREFECT_LOGGING_EXTRA_LOGGERS", "nadp")
logging.getLogger("nadp").setLevel(logging.INFO)
