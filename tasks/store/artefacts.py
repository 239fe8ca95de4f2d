"""The content store: files named by their SHA-256, and small references for tasks to pass.

With a shared store, a reference holds the URL of its file, which is downloaded when needed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from nadp.files.durable import Content, fill, move, new_file, sha256_of
from tasks.store import sharing
from tasks.store.home import made_home

T = TypeVar("T")
_log = logging.getLogger("nadp.artefacts")


@dataclass(frozen=True)
class Artefact:
    """A reference to a file: its path and its hash.

    Attributes:
        path: path of the file, or its URL in the shared store.
        sha256: SHA-256 of its content.
        size: bytes.
    """

    path: str
    sha256: str
    size: int

    def local(self) -> Path:
        """Return the local path of the file; one in the shared store is first downloaded and checked.

        Raises:
            FileNotFoundError: if the file is missing or damaged in the store.
        """
        path = sharing.here(self.path)
        if self._is_shared() and not path.is_file() and not brought(path, self._is):
            raise FileNotFoundError(f"{self.path} is missing or damaged: run again to recompute it")
        return path

    def is_intact(self) -> bool:
        """Return whether the file exists unchanged, locally and, as far as known, in the store."""
        path = sharing.here(self.path)
        if not self._is(path):
            return self._is_shared() and brought(path, self._is)
        if self._is_shared() and not sharing.is_shared(path):
            sharing.share(path)
        return True

    def _is(self, path: Path) -> bool:
        return path.is_file() and path.stat().st_size == self.size and sha256_of(path) == self.sha256

    def _is_shared(self) -> bool:
        return str(sharing.here(self.path)) != self.path


def artefact(path: Path) -> Artefact:
    """Return the reference to an existing file."""
    return Artefact(str(path), sha256_of(path), path.stat().st_size)


def stored(content: Content, suffix: str) -> Artefact:
    """Return the reference to a new file of the store, written atomically."""
    folder = made_home() / "artefacts"
    folder.mkdir(parents=True, exist_ok=True)
    with new_file(folder, suffix) as path:
        fill(path, content)
        new_artefact = artefact(path)
        target = folder / f"{new_artefact.sha256}{suffix}"
        move(path, target)
    if not sharing.is_shared(target):
        sharing.share(target)
    return Artefact(sharing.address(target), new_artefact.sha256, new_artefact.size)


def brought(path: Path, is_good: Callable[[Path], bool]) -> bool:
    """Download a file from the shared store; return whether it existed with the right hash.

    A damaged file is removed from the store, so that it is recomputed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path.parent, path.suffix) as part:
        if not sharing.fetch(path, part):
            return False
        if not is_good(part):
            _log.warning("%s is damaged and has been removed from the store", sharing.address(path))
            sharing.discard(path)
            return False
        move(part, path)
    return True


@lru_cache(maxsize=16)
def loaded(reference: Artefact, load: Callable[[Path], T]) -> Any:  # noqa: ANN401 - what `load` returns
    """Return what `load` reads from an artefact, cached in this process."""
    return load(reference.local())
