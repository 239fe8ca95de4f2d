"""Functions that are compiled when they are first called."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from nadp.runtime.compiled import compiled


@compiled()
def _twice(value):
    return 2 * value


@compiled()
def _sum_of_doubles(values):
    total = 0.0
    for value in values:
        total += _twice(value)
    return total


@compiled()
def _largest_double(values):
    return max([_twice(value) for value in values])


def test_compiled_functions_call_one_another():
    assert _sum_of_doubles(np.arange(5.0)) == 20.0
    assert _largest_double(np.arange(5.0)) == 8.0


def test_threads_that_call_a_function_at_once_get_one_compiled_function():
    with ThreadPoolExecutor(4) as pool:
        assert len({id(one) for one in pool.map(lambda _: _twice.compile(), range(8))}) == 1


def test_options_are_those_of_numba():
    infinite = compiled(fastmath={"nnan"})(lambda value: value + 1.0)
    assert infinite.compile().targetoptions["fastmath"] == {"nnan"}
    assert infinite(1.0) == 2.0


def test_numba_is_not_imported_before_the_first_call():
    code = """
import sys
import numpy as np
import nadp.groups.kernels, nadp.search.kernels, nadp.kernels
assert "numba" not in sys.modules
nadp.kernels.hash_rows(np.zeros((1, 1), np.uint32), np.empty(1, np.uint64))
assert "numba" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
