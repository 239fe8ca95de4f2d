"""What tests/conftest.py keeps away from the tests of the library."""

import threading

import pytest
from prefect import flow

from tests.conftest import OF_PREFECT


@flow
def nothing():
    return 1


@pytest.mark.servers
@pytest.mark.usefixtures("prefect_server")
def test_a_flow_run_leaves_threads_that_the_tests_of_the_library_look_out_for():
    assert nothing() == 1
    assert {thread.name for thread in threading.enumerate()} & set(OF_PREFECT)
