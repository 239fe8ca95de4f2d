"""The content store: files named by their SHA-256, and the small references to them that travel between tasks.

Where there is a shared store, a reference holds the URL of its file there; the file is brought here when it is needed.
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
    """A file: where it is and what it holds, byte for byte.

    Attributes:
        path: of the file, or its URL in the shared store.
        sha256: of its content.
        size: bytes.
    """

    path: str
    sha256: str
    size: int

    def local(self) -> Path:
        """Return where the file lies on this machine; one of the shared store is brought here first, and checked.

        Raises:
            FileNotFoundError: if the store has no such file, or a damaged one.
        """
        path = sharing.here(self.path)
        if self._is_shared() and not path.is_file() and not brought(path, self._is):
            raise FileNotFoundError(f"{self.path} is gone or was damaged: run again, and it is made again")
        return path

    def is_intact(self) -> bool:
        """Return whether the file is there and still holds what it held, here and, as far as is known, in the store."""
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
    """Return the reference to a file that is there already."""
    return Artefact(str(path), sha256_of(path), path.stat().st_size)


def stored(content: Content, suffix: str) -> Artefact:
    """Return the reference to a new file of the store, which appears whole or not at all."""
    folder = made_home() / "artefacts"
    folder.mkdir(parents=True, exist_ok=True)
    with new_file(folder, suffix) as path:
        fill(path, content)
        found = artefact(path)
        target = folder / f"{found.sha256}{suffix}"
        move(path, target)
    if not sharing.is_shared(target):
        sharing.share(target)
    return Artefact(sharing.address(target), found.sha256, found.size)


def brought(path: Path, is_good: Callable[[Path], bool]) -> bool:
    """Bring a file from the shared store; return whether it was there and is what it must be.

    One that is not is removed from the store, so that it is made again.
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
    """Return what `load` reads from an artefact, kept in this process for the next task that asks."""
    return load(reference.local())
