"""The shared store: if NADP_HOME is a URL, the files of home() are also stored there, under the same names.

A file is first written locally and uploaded when complete; files of other machines are downloaded when needed. Any URL
that fsspec supports works; endpoint and credentials come from the environment (AWS_*, FSSPEC_*). Without a store,
nothing is shared.
"""

import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from nadp.errors import InputError
from tasks.store.home import home, made_home, store_url


def check_store() -> None:
    """Refuse an unusable store before anything is computed.

    Raises:
        InputError: if the folder cannot be created, NADP_HOME is a URL of an unknown kind, or its server refuses or
            does not respond.
    """
    try:
        made_home()
    except OSError as error:
        raise InputError(f"NADP_HOME is {home()}, which cannot be created: {error}") from error
    try:
        if store := _store():
            store.size(home() / "artefacts")
    except InputError:
        raise
    except Exception as error:  # the only common base of OSError and the errors of botocore and google.auth
        raise InputError(f"the store {store_url()} cannot be used: {error or type(error).__name__}") from error


def address(path: Path) -> str:
    """Return the address of a file of home() for all machines: its URL in the store, or its path."""
    url = store_url()
    return str(path) if url is None else f"{url}/{_name(path)}"


def here(address: str) -> Path:
    """Return the local path of an address."""
    url = store_url()
    shared = url is not None and address.startswith(f"{url}/")
    return home() / address[len(f"{url}/") :] if shared else Path(address)


def share(*paths: Path) -> None:
    """Upload files of home() to the store."""
    if paths and (store := _store()):
        store.put(paths)


def is_shared(path: Path) -> bool:
    """Return whether the store, if any, has a file of this name and size."""
    store = _store()
    return store is None or store.size(path) == path.stat().st_size


def fetch(path: Path, into: Path) -> bool:
    """Copy a file of home() from the store to another path; return whether the store has it."""
    store = _store()
    return store is not None and store.get(path, into)


def read(*paths: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the small files of home() that the store has, with their content."""
    if paths and (store := _store()):
        yield from store.read(paths)


def discard(path: Path) -> None:
    """Remove a file of home() from the store."""
    if store := _store():
        store.remove(path)


def _name(path: Path) -> str:
    return path.relative_to(home()).as_posix()


class _Store:
    """The files of a URL.

    Raises:
        InputError: if the kind of URL is unknown or needs a package that is not installed.
    """

    def __init__(self, url: str) -> None:
        from fsspec.core import url_to_fs  # noqa: PLC0415 - slow to import

        try:
            # listings are not cached: files of other machines must be visible
            self._files, self._root = url_to_fs(url, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise InputError(f"NADP_HOME is {url!r}: {error} (for s3 install the extra: nadp[s3])") from error

    def put(self, paths: tuple[Path, ...]) -> None:
        targets = [self._at(path) for path in paths]
        if self._files.async_impl:  # object stores: uploads are atomic and parallel
            self._files.put([str(path) for path in paths], targets)
            return
        for path, target in zip(paths, targets, strict=True):
            folder = target.rpartition("/")[0]
            self._files.makedirs(folder, exist_ok=True)
            part = f"{folder}/.part-{uuid.uuid4().hex}"
            self._files.put_file(str(path), part)
            self._files.mv(part, target)

    def size(self, path: Path) -> int | None:
        try:
            return self._files.info(self._at(path))["size"]
        except FileNotFoundError:
            return None

    def get(self, path: Path, into: Path) -> bool:
        try:
            self._files.get_file(self._at(path), str(into))
        except FileNotFoundError:
            return False
        return True

    def read(self, paths: tuple[Path, ...]) -> Iterator[tuple[Path, bytes]]:
        by_name = {self._at(path): path for path in paths}
        for name, content in self._files.cat(list(by_name), on_error="return").items():
            if isinstance(content, bytes):
                yield by_name[name], content
            elif not isinstance(content, FileNotFoundError):
                raise content

    def remove(self, path: Path) -> None:
        if self.size(path) is not None:
            self._files.rm_file(self._at(path))

    def _at(self, path: Path) -> str:
        return f"{self._root}/{_name(path)}"


@cache
def _opened(url: str) -> _Store:
    return _Store(url)


def _store() -> _Store | None:
    url = store_url()
    return None if url is None else _opened(url)
