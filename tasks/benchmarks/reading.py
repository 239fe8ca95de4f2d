"""Reading one source through Hugging Face datasets, whatever its place."""

import hashlib
import os
import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nadp.errors import FormatError
from tasks.benchmarks.declarations import Source
from tasks.downloads import downloaded
from tasks.home import home
from tasks.retries import UnreachableError

_PROBE_SECONDS = 3.0
_PROBE_HOLDS = 60.0
_loading = threading.Lock()  # datasets and its progress bars are not made for threads
_probed: dict[str, tuple[float, str]] = {}


def rows_of(source: Source, file: Path | None) -> list[list[Any]]:
    """Return the rows of a source, the columns in the order of its family.

    Args:
        source: what to read.
        file: where it lies on this disk, for a source of that kind.

    Raises:
        UnreachableError: if its host does not answer, or the Hub's client has been told to stay offline.
        FormatError: if a column is missing or a line is no puzzle.
    """
    on_hub = source.place == "hub"
    table = _from_hub(source) if on_hub else _from_file(source, file or _from_url(source.location))
    missing = [column for column in source.columns if column not in table.column_names]
    if missing:
        raise FormatError(
            f"{source.location} has no column {', '.join(map(repr, missing))}; it has {', '.join(table.column_names)}"
        )
    if source.reader == "text":
        return [[_terms(line, source)] for line in table[source.columns[0]] if line.strip()]
    return [list(row) for row in zip(*(table[column] for column in source.columns), strict=True)]


def _terms(line: str, source: Source) -> list[str]:
    """Return the terms of `category: odd,one,two,three,four`."""
    _, colon, terms = line.partition(":")
    if not colon:
        raise FormatError(f"{source.location}: {line[:60]!r} is no puzzle of the form 'category: odd,other,...'")
    return [term.strip() for term in terms.split(",")]


def _from_hub(source: Source) -> Any:  # noqa: ANN401 - datasets.Dataset, imported when needed
    if not _offline():
        probe(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
    try:
        return _loaded(source.location, revision=source.revision, split=source.split, **dict(source.options))
    except ConnectionError as error:
        if _offline():
            raise UnreachableError(
                f"{source.location} is not in the Hub's cache, and it is told to stay offline"
            ) from error
        raise


def _from_file(source: Source, file: Path) -> Any:  # noqa: ANN401 - datasets.Dataset, imported when needed
    with tempfile.TemporaryDirectory() as cache:
        options = {"data_files": str(file), "cache_dir": cache, "keep_in_memory": True, **dict(source.options)}
        return _loaded(source.reader, split="train", **options)


def _loaded(*what: Any, **options: Any) -> Any:  # noqa: ANN401 - as load_dataset
    with _loading:
        import datasets  # noqa: PLC0415 - slow, and only needed here

        datasets.disable_progress_bars()
        return datasets.load_dataset(*what, **options)


def _from_url(url: str) -> Path:
    """Return the downloaded file of a URL."""
    if _offline():
        raise UnreachableError(f"{url} is not fetched: the Hub's client is told to stay offline")
    probe(url)
    folder = home() / "downloads" / hashlib.sha256(url.encode()).hexdigest()[:16]
    return downloaded([url], folder / url.rsplit("/", 1)[-1], None)


def _offline() -> bool:
    told = (os.environ.get(name, "").upper() for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"))
    return any(value in ("1", "ON", "YES", "TRUE") for value in told)


def probe(url: str) -> None:
    """Refuse a host that does not accept a connection within three seconds; an answer holds for a minute.

    Raises:
        UnreachableError: if it does not.
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443)
    asked, refusal = _probed.get(f"{host}:{port}", (-_PROBE_HOLDS, ""))
    if time.monotonic() - asked > _PROBE_HOLDS:
        try:
            socket.create_connection((host, port), timeout=_PROBE_SECONDS).close()
            refusal = ""
        except OSError as error:
            refusal = f"{host} cannot be reached ({error})"
        _probed[f"{host}:{port}"] = (time.monotonic(), refusal)
    if refusal:
        raise UnreachableError(refusal)
