import pytest
from prefect import flow

from nadp import FormatError
from nadp.utility.declaration import Benchmark, Source
from tasks.sources.benchmarks.fetching import fetch_benchmark
from tasks.sources.benchmarks.locating import Located
from tests.servers import FileServer

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

TABLE = b"gem\tjewel\t3.9\ncord\tsmile\t0.1\n"


@pytest.fixture
def server():
    with FileServer({"/pairs.txt": TABLE, "/page.txt": b"<html>\n"}) as running:
        yield running


def located(server, name):
    columns = ("first", "second", "score")
    source = Source("url", server.url + name, columns, format="tsv", header=columns)
    return Located(Benchmark("pairs", "word-pairs", "spearman", (source,)))


@flow
def fetching(what):
    return fetch_benchmark(what)


def test_a_server_that_is_busy_for_a_while_is_asked_again(server):
    server.fail(status=503, times=2)
    assert fetching(located(server, "/pairs.txt")).rows == 2
    assert server.count("GET") == 3


def test_what_is_no_benchmark_is_not_asked_for_again(server):
    with pytest.raises(FormatError):
        fetching(located(server, "/page.txt"))
    assert server.count("GET") == 1
