import asyncio
import pickle
import signal
import subprocess
import sys
import threading

import pytest

from tasks.store.locks import FileLocks

HOLD = """
import sys, time
from pathlib import Path
from tasks.store.locks import FileLocks

locks = FileLocks(Path(sys.argv[1]))
locks.acquire_lock("key", "another process")
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def locks(tmp_path):
    return FileLocks(tmp_path / "locks")


def test_a_lock_is_held_by_one_at_a_time_until_it_is_released(locks):
    assert locks.acquire_lock("key", "one")
    assert locks.acquire_lock("key", "one")
    assert not locks.acquire_lock("key", "two", acquire_timeout=0)
    assert locks.is_locked("key")
    assert (locks.is_lock_holder("key", "one"), locks.is_lock_holder("key", "two")) == (True, False)
    assert locks.acquire_lock("other key", "two", acquire_timeout=0)
    locks.release_lock("key", "one")
    assert not locks.is_locked("key")
    assert locks.acquire_lock("key", "two", acquire_timeout=0)


def test_only_its_holder_releases_a_lock(locks):
    locks.acquire_lock("key", "one")
    with pytest.raises(ValueError, match="two does not hold the lock of key"):
        locks.release_lock("key", "two")
    assert locks.is_lock_holder("key", "one")
    locks.release_lock("key", "one")
    with pytest.raises(ValueError, match="one does not hold"):
        locks.release_lock("key", "one")


def test_no_file_is_left_when_no_lock_is_held(locks, tmp_path):
    locks.acquire_lock("key", "one")
    assert len(list((tmp_path / "locks").iterdir())) == 1
    locks.release_lock("key", "one")
    with locks.holding("key"):
        assert locks.is_locked("key")
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_limit_that_cannot_be_kept_is_refused(locks):
    with pytest.raises(ValueError, match="not for 3 s"):
        locks.acquire_lock("key", "one", hold_timeout=3)
    assert not locks.is_locked("key")


def test_threads_hold_a_lock_in_turn(locks):
    inside, most = 0, 0

    def work(holder):
        nonlocal inside, most
        for _ in range(20):
            locks.acquire_lock("key", holder)
            inside += 1
            most = max(most, inside)
            inside -= 1
            locks.release_lock("key", holder)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, inside) == (1, 0)


def test_a_copy_for_another_process_knows_the_same_locks_but_holds_none(locks):
    locks.acquire_lock("key", "one")
    copy = pickle.loads(pickle.dumps(locks))  # noqa: S301 - our own bytes
    assert not copy.is_lock_holder("key", "one")
    assert copy.is_locked("key")


def test_who_waits_asynchronously_gets_the_lock_as_well(locks):
    async def waiting():
        assert not await locks.aacquire_lock("key", "two", acquire_timeout=0)
        assert not await locks.await_for_lock("key", 0)
        locks.release_lock("key", "one")
        assert await locks.await_for_lock("key")
        assert await locks.aacquire_lock("key", "two")

    locks.acquire_lock("key", "one")
    asyncio.run(waiting())
    assert locks.is_lock_holder("key", "two")


def test_the_lock_of_a_killed_process_is_free(locks, tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "locks")], stdout=subprocess.PIPE, start_new_session=True
    )
    with holder:
        try:
            assert holder.stdout.readline() == b"held\n"
            assert not locks.acquire_lock("key", "one", acquire_timeout=0)
        finally:
            holder.send_signal(signal.SIGKILL)
    assert locks.acquire_lock("key", "one", acquire_timeout=0)
    locks.release_lock("key", "one")
    assert list((tmp_path / "locks").iterdir()) == []
