"""Checks that several flows make before they start."""

from importlib.util import find_spec

from flows.parameters.types import Runner
from nadp.errors import InputError


def check_runner(runner: Runner, scheduler: str | None) -> None:
    """Refuse a runner that cannot work.

    Raises:
        InputError: for a scheduler without Dask, or Dask where it is not installed.
    """
    if runner == "threads" and scheduler is not None:
        raise InputError(f"scheduler {scheduler!r} is of use only with the runner dask")
    if runner == "dask" and find_spec("prefect_dask") is None:
        raise InputError("the runner dask needs packages that are not installed: pip install 'nadp[dask]'")
