"""Reading through Hugging Face datasets: a file of this disk, or a data set of the Hub."""

import hashlib
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from nadp.errors import FormatError
from tasks.sources.benchmarks.declarations import Source
from tasks.sources.benchmarks.layouts import Columns, Row, rows_of
from tasks.sources.downloads import downloaded
from tasks.sources.hub import from_hub, loaded_set, offline, root
from tasks.sources.retries import UnreachableError, probe
from tasks.store.home import home


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
    options = {"revision": source.revision, "split": split, **dict(source.options)}
    return dict(from_hub(source.location, **options).to_dict())


def _from_file(source: Source, file: str) -> Columns:
    with tempfile.TemporaryDirectory() as cache:
        options = {"data_files": file, "cache_dir": cache, "keep_in_memory": True, **dict(source.options)}
        if "encoding" in options and is_utf_8(Path(file)):
            del options["encoding"]
        try:
            return dict(loaded_set(source.reader, split="train", **options).to_dict())
        except ValueError as error:
            raise FormatError(f"{file} cannot be read as {source.reader}: {root(error)}") from error


def is_utf_8(file: Path) -> bool:
    """Return whether a file is UTF-8 beyond ASCII: then it is in no other encoding, whatever was declared."""
    content = file.read_bytes()
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return not content.isascii()


def _from_url(url: str) -> Path:
    """Return the downloaded file of a URL."""
    folder = home() / "downloads" / hashlib.sha256(url.encode()).hexdigest()[:16]
    target = folder / url.rsplit("/", 1)[-1]
    if not target.exists():
        if offline():
            raise UnreachableError(f"{url} is not fetched: offline mode is on")
        probe(url)
    return downloaded([url], target, None)
