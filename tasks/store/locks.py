"""Locks on cached results that end with their process, however it ends."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from prefect.locking.protocol import LockManager


class FileLocks(LockManager):
    """One lock for each key, kept by the operating system.

    A killed process leaves no lock behind, so the next run continues its work. (A lock file that names its holder would
    remain after a kill, and everyone would wait for it.)

    Args:
        folder: folder of the lock files; each exists while its lock is held.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks_by_key: dict[str, tuple[str, FileLock]] = {}
        self._table_lock = threading.Lock()

    def __reduce__(self) -> tuple[type["FileLocks"], tuple[Path]]:
        return FileLocks, (self._folder,)  # a copy in another process holds no lock

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        """Hold the lock of a key in a block."""
        lock = self._lock(key)
        with lock.acquire():
            try:
                yield
            finally:
                self._remove(lock)

    def acquire_lock(
        self, key: str, holder: str, acquire_timeout: float | None = None, hold_timeout: float | None = None
    ) -> bool:
        """Return whether a holder acquired the lock of a key within some seconds; None waits indefinitely.

        Raises:
            ValueError: if the lock should be held for a limited time, which is not supported.
        """
        if hold_timeout is not None:
            raise ValueError(f"a lock is held until it is released or its process ends, not for {hold_timeout} s")
        if self.is_lock_holder(key, holder):
            return True
        lock = self._lock(key)
        try:
            lock.acquire(timeout=-1 if acquire_timeout is None else acquire_timeout)
        except Timeout:
            return False
        with self._table_lock:
            self._locks_by_key[key] = holder, lock
        return True

    async def aacquire_lock(
        self, key: str, holder: str, acquire_timeout: float | None = None, hold_timeout: float | None = None
    ) -> bool:
        """Return whether a holder acquired the lock of a key, without blocking the event loop."""
        return await asyncio.to_thread(self.acquire_lock, key, holder, acquire_timeout, hold_timeout)

    def release_lock(self, key: str, holder: str) -> None:
        """Release the lock of a key.

        Raises:
            ValueError: if the holder does not hold it.
        """
        with self._table_lock:
            if self._locks_by_key.get(key, ("",))[0] != holder:
                raise ValueError(f"{holder} does not hold the lock of {key}")
            _, lock = self._locks_by_key.pop(key)
        self._remove(lock)
        lock.release()

    def is_locked(self, key: str) -> bool:
        """Return whether any holder has the lock of a key."""
        return not self.wait_for_lock(key, 0)

    def is_lock_holder(self, key: str, holder: str) -> bool:
        """Return whether this holder has the lock of a key."""
        with self._table_lock:
            return self._locks_by_key.get(key, ("",))[0] == holder

    def wait_for_lock(self, key: str, timeout: float | None = None) -> bool:
        """Return whether the lock of a key was free within some seconds."""
        try:
            with self._lock(key).acquire(timeout=-1 if timeout is None else timeout):
                return True
        except Timeout:
            return False

    async def await_for_lock(
        self,
        key: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is Prefect's
    ) -> bool:
        """Return whether the lock of a key was free, without blocking the event loop."""
        return await asyncio.to_thread(self.wait_for_lock, key, timeout)

    def _lock(self, key: str) -> FileLock:
        self._folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self._folder / f"{key}.lock", thread_local=False)

    @staticmethod
    def _remove(lock: FileLock) -> None:
        """Remove the file of a held lock; a waiting process creates a new one."""
        Path(lock.lock_file).unlink(missing_ok=True)
