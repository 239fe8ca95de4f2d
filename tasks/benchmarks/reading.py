"""Reading through Hugging Face datasets: a file of this disk, or a data set of the Hub."""

import hashlib
import os
import tempfile
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nadp.errors import FormatError
from tasks.benchmarks.declarations import Source
from tasks.benchmarks.layouts import Columns, Row, rows_of
from tasks.downloads import downloaded
from tasks.home import home
from tasks.retries import UnreachableError, probe

_loading = threading.Lock()  # datasets and its progress bars are not made for threads


def read_rows(source: Source, files: Sequence[Path]) -> list[Row]:
    """Return the rows of a source.

    Args:
        source: what to read.
        files: where it lies, if it is on this disk.

    Raises:
        UnreachableError: if its host does not answer, does not know it, or the client has been told to stay offline.
        FormatError: if it is not as declared.
    """
    if source.place == "hub":
        return rows_of(source, partial(_from_hub, source), [])
    if files:
        return rows_of(source, partial(_from_file, source), files)
    file = _from_url(source.location)
    try:
        return rows_of(source, partial(_from_file, source), [file])
    except FormatError:
        file.unlink()  # such as the page of a proxy: it must not be taken for the benchmark again
        raise


def _from_hub(source: Source, split: str) -> Columns:
    offline = _offline()
    if not offline:
        probe(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        return _loaded(source.location, revision=source.revision, split=split, **dict(source.options))
    except ConnectionError as error:
        if offline:
            raise UnreachableError(f"{source.location} is not in the Hub's cache, and offline mode is on") from error
        raise
    except FileNotFoundError as error:
        if type(error).__name__ == "DatasetNotFoundError":
            raise UnreachableError(f"the Hub does not have {source.location}: {error}") from error
        raise


def _from_file(source: Source, file: str) -> Columns:
    with tempfile.TemporaryDirectory() as cache:
        options = {"data_files": file, "cache_dir": cache, "keep_in_memory": True, **dict(source.options)}
        try:
            return _loaded(source.reader, split="train", **options)
        except ValueError as error:
            raise FormatError(f"{file} cannot be read as {source.reader}: {_root(error)}") from error


def _from_url(url: str) -> Path:
    """Return the downloaded file of a URL."""
    folder = home() / "downloads" / hashlib.sha256(url.encode()).hexdigest()[:16]
    target = folder / url.rsplit("/", 1)[-1]
    if not target.exists():
        if _offline():
            raise UnreachableError(f"{url} is not fetched: offline mode is on")
        probe(url)
    return downloaded([url], target, None)


def _loaded(*what: Any, **options: Any) -> Columns:  # noqa: ANN401 - as load_dataset
    with _loading:
        os.environ.setdefault("HF_UPDATE_DOWNLOAD_COUNTS", "0")  # or every load calls home, of local files too
        import datasets  # noqa: PLC0415 - slow, and only needed here

        datasets.disable_progress_bars()
        try:
            return dict(datasets.load_dataset(*what, **options).to_dict())
        except datasets.exceptions.DatasetGenerationError as error:
            raise FormatError(f"what came is not as declared: {_root(error)}") from error


def _root(error: BaseException) -> BaseException:
    """Return the error that was there first."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _offline() -> bool:
    told = (os.environ.get(name, "").upper() for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"))
    return any(value in ("1", "ON", "YES", "TRUE") for value in told)
