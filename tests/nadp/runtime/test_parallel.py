import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np  # noqa: F401 - loads a BLAS
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from nadp.runtime import parallel
from nadp.runtime.parallel import cores, for_blocks, use_at_most


@pytest.mark.parametrize(("rows", "size"), [(0, 3), (1, 3), (3, 3), (100, 7)])
def test_every_row_is_in_exactly_one_block(rows, size):
    seen = []
    for_blocks(lambda block: seen.extend(range(block.start, block.stop)), rows, size, "test")
    assert sorted(seen) == list(range(rows))


def test_an_error_in_a_block_is_not_lost():
    def work(block):
        if block.start:
            raise ValueError("in the second block")

    with pytest.raises(ValueError, match="in the second block"):
        for_blocks(work, 10, 5, "test")
    test_every_row_is_in_exactly_one_block(10, 3)  # and takes no core with it


def test_there_is_a_core():
    assert cores() >= 1


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_overlapping_calls_leave_blas_as_it_was_and_plain_until_the_last_ends():
    first_is_in, second_is_in, first_is_out = threading.Event(), threading.Event(), threading.Event()
    seen = []

    def first(_):
        first_is_in.set()
        assert second_is_in.wait(10)

    def second(_):
        second_is_in.set()
        assert first_is_out.wait(10)
        seen.append(blas_threads())

    with threadpool_limits(limits=3, user_api="blas"), ThreadPoolExecutor(2) as pool:
        before = blas_threads()
        one = pool.submit(for_blocks, first, 1, 1, "test")
        assert first_is_in.wait(10)
        other = pool.submit(for_blocks, second, 1, 1, "test")
        one.result(10)
        first_is_out.set()
        other.result(10)
        assert blas_threads() == before == {3}
    assert seen == [{1}]


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: 2)


def most_at_once(calls):
    """How many blocks of some calls from threads of their own work at the same time, at most."""
    lock, now, most = threading.Lock(), 0, 0

    def work(_):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1

    with ThreadPoolExecutor(calls) as pool:
        for done in [pool.submit(for_blocks, work, 12, 1, "test") for _ in range(calls)]:
            done.result(30)
    return most


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("calls", [1, 5])
def test_calls_from_several_threads_share_the_cores(calls):
    assert most_at_once(calls) == 2


@pytest.mark.usefixtures("two_cores")
def test_a_process_can_be_held_to_fewer_cores(monkeypatch):
    monkeypatch.setattr(parallel._share, "max_cores", parallel._share.max_cores)
    use_at_most(1)
    assert cores() == 1
    assert most_at_once(3) == 1
    use_at_most(100)
    assert cores() == 2


@pytest.mark.usefixtures("two_cores")
def test_a_call_inside_of_another_waits_for_no_core():
    seen = []

    def outer(block):
        for_blocks(lambda inner: seen.append((block.start, inner.start)), 3, 1, "inner")

    done = threading.Thread(target=for_blocks, args=(outer, 4, 1, "outer"), daemon=True)
    done.start()
    done.join(30)
    assert not done.is_alive()
    assert sorted(seen) == [(i, j) for i in range(4) for j in range(3)]


def test_threads_that_cannot_be_started_are_a_lack_of_memory(monkeypatch):
    def start(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(MemoryError, match="thread"):
        for_blocks(lambda _: None, 3, 1, "test")


def test_without_memory_for_products_no_block_is_begun(monkeypatch):
    begun, asked = [], []
    monkeypatch.setattr(parallel, "has_room", asked.append)
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    monkeypatch.setattr(parallel._share, "_threads_with_room", 0)
    with pytest.raises(MemoryError, match="products of matrices"):
        for_blocks(begun.append, 9, 1, "test")
    assert asked == [parallel._LOADED + 2 * parallel._BUFFER]
    assert not begun


def test_memory_for_products_is_checked_again_only_for_more_threads(monkeypatch):
    asked = []

    def has_room(size):
        asked.append((size - parallel._LOADED) // parallel._BUFFER)
        return True

    monkeypatch.setattr(parallel, "has_room", has_room)
    monkeypatch.setattr(parallel, "processors", lambda: 4)
    monkeypatch.setattr(parallel._share, "_threads_with_room", 0)
    for rows in (1, 1, 3, 2, 9, 9):
        for_blocks(lambda _: None, rows, 1, "test")
    assert asked == [1, 3, 4]
