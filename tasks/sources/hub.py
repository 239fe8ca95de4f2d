"""Data sets through Hugging Face datasets, whose client is not made for threads."""

import os
import threading
from typing import Any

from nadp.errors import FormatError
from tasks.sources.retries import UnreachableError, probe

_loading = threading.Lock()  # datasets and its progress bars are not made for threads


def from_hub(data_set: str, /, **options: Any) -> Any:  # noqa: ANN401 - as load_dataset
    """Return a data set of the Hub, memory-mapped.

    Args:
        data_set: its id.
        options: as datasets.load_dataset takes them.

    Raises:
        UnreachableError: if the Hub does not answer, does not know it, or the client has been told to stay offline.
        FormatError: if it is not as it says.
    """
    without_network = offline()
    if not without_network:
        probe(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        return loaded_set(data_set, **options)
    except ConnectionError as error:
        if without_network:
            raise UnreachableError(f"{data_set} is not in the Hub's cache, and offline mode is on") from error
        raise


def loaded_set(*what: Any, **options: Any) -> Any:  # noqa: ANN401 - as load_dataset
    """Return a data set, memory-mapped.

    Raises:
        UnreachableError: if it is of the Hub, and the Hub does not have it.
        FormatError: if it is not as it says.
    """
    with _loading:
        import datasets  # noqa: PLC0415 - slow, and only needed here

        datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False  # or every load calls home, of local files too
        datasets.disable_progress_bars()
        try:
            return datasets.load_dataset(*what, **options)
        except datasets.exceptions.DatasetNotFoundError as error:
            raise UnreachableError(f"the Hub does not have {what[0]}: {error}") from error
        except datasets.exceptions.DatasetGenerationError as error:
            raise FormatError(f"what came is not as declared: {root(error)}") from error


def root(error: BaseException) -> BaseException:
    """Return the error that was there first."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def offline() -> bool:
    """Return whether the client has been told to stay offline."""
    told = (os.environ.get(name, "").upper() for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"))
    return any(value in ("1", "ON", "YES", "TRUE") for value in told)
