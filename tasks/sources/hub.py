"""Data sets through Hugging Face datasets, whose client is not thread-safe."""

import os
import threading
from typing import Any

from nadp.errors import FormatError
from tasks.sources.retries import UnreachableError, probe

_loading = threading.Lock()  # datasets and its progress bars are not thread-safe


def from_hub(data_set: str, /, **options: Any) -> Any:  # noqa: ANN401 - as load_dataset
    """Return a data set of the Hub, memory-mapped.

    Args:
        data_set: its id.
        options: options of datasets.load_dataset.

    Raises:
        UnreachableError: if the Hub does not respond or does not have it, or the client is in offline mode.
        FormatError: if it differs from its declaration.
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


def loaded_set(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as load_dataset
    """Return a data set, memory-mapped.

    Raises:
        UnreachableError: if the Hub does not have it.
        FormatError: if it differs from its declaration.
    """
    with _loading:
        import datasets  # noqa: PLC0415 - slow, and only needed here

        datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False  # otherwise every load contacts the Hub, even of local files
        datasets.disable_progress_bars()
        try:
            return datasets.load_dataset(*arguments, **options)
        except datasets.exceptions.DatasetNotFoundError as error:
            raise UnreachableError(f"the Hub does not have {arguments[0]}: {error}") from error
        except datasets.exceptions.DatasetGenerationError as error:
            raise FormatError(f"the data set differs from its declaration: {root(error)}") from error


def root(error: BaseException) -> BaseException:
    """Return the root cause of an error."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def offline() -> bool:
    """Return whether the client is in offline mode."""
    settings = (os.environ.get(name, "").upper() for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"))
    return any(value in ("1", "ON", "YES", "TRUE") for value in settings)
