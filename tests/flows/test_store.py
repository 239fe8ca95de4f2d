import hashlib

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.flows.processes import Cluster, cached

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

BUCKET, PREFIX = "vectors", "team/nadp"
HOME = f"s3://{BUCKET}/{PREFIX}"


class Store:
    """A bucket of a server that speaks S3, on 127.0.0.1."""

    def __init__(self):
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)

    def __enter__(self):
        self._server.start()
        self.url = "http://{}:{}".format(*self._server.get_host_and_port())
        self.environment = {
            "NADP_HOME": HOME,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "eu-west-1",
        }
        login = {name.lower(): value for name, value in self.environment.items() if "KEY" in name}
        self._client = boto3.client("s3", endpoint_url=self.url, region_name="eu-west-1", **login)
        self._client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        return self

    def __exit__(self, *_):
        self._client.close()
        self._server.stop()

    def names(self, folder):
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{PREFIX}/{folder}/")
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def content(self, name):
        return self._client.get_object(Bucket=BUCKET, Key=name)["Body"].read()

    def put(self, name, content):
        self._client.put_object(Bucket=BUCKET, Key=name, Body=content)

    def machine(self, cache):
        """Return the environment of a machine that has a cache of its own."""
        return self.environment | {"NADP_CACHE": str(cache)}


@pytest.fixture(scope="module")
def store():
    with Store() as running:
        yield running


@pytest.fixture(scope="module")
def run(experiments, tmp_path_factory):
    """Runs an experiment and returns its scores, how many task runs were cached, and how many there were."""

    def run(*options, **changes):
        out = tmp_path_factory.mktemp("out")
        said, code = experiments.done(out, *options, **changes)
        assert code == 0, said
        assert "secret" not in said
        return (out / "scores.csv").read_bytes(), *cached(said)

    return run


@pytest.fixture(scope="module")
def first(run, store, threads, tmp_path_factory):
    """The cache of the machine that filled the store."""
    cache = tmp_path_factory.mktemp("first")
    assert run(**store.machine(cache))[0] == threads
    return cache


def is_what_its_name_says(store, name):
    return hashlib.sha256(store.content(name)).hexdigest() == name.rpartition("/")[2].partition(".")[0]


def files(cache, folder):
    return {path.relative_to(cache).as_posix() for path in (cache / folder).rglob("*") if path.is_file()}


def test_all_that_is_kept_of_a_run_lies_in_the_store_too(store, first):
    for folder in ("artefacts", "results", "scores"):
        found = {name.removeprefix(f"{PREFIX}/") for name in store.names(folder)}
        assert found == files(first, folder) != set()
    assert all(is_what_its_name_says(store, name) for name in store.names("artefacts"))
    assert not any(
        str(first).encode() in store.content(name).partition(b'"result":')[2] for name in store.names("results")
    )


def test_another_machine_takes_all_from_the_store(run, store, first, threads, tmp_path):
    scores, taken, everything = run(**store.machine(tmp_path))
    assert scores == threads
    assert taken == everything - 1  # the download task looks at the file each time
    assert files(tmp_path, "artefacts") == files(first, "artefacts")  # what was wiped, or never there, is there again
    assert all(
        hashlib.sha256(path.read_bytes()).hexdigest() == path.stem for path in (tmp_path / "artefacts").iterdir()
    )


def test_a_damaged_object_is_noticed_and_recomputed(run, store, first, threads, tmp_path):  # noqa: ARG001
    name = max(store.names("artefacts"), key=lambda name: len(store.content(name)))
    good = store.content(name)
    store.put(name, bytes([good[0] ^ 1]) + good[1:])
    cut = store.names("scores")[0]
    store.put(cut, store.content(cut)[:-9])
    lost = store.names("results")[0]
    store.put(lost, b"{")
    scores, taken, everything = run(**store.machine(tmp_path))
    assert scores == threads
    assert 0 < taken < everything - 1
    assert store.content(name) == good
    assert len(store.content(lost)) > 1
    assert all(is_what_its_name_says(store, name) for name in store.names("artefacts"))


def test_workers_without_a_shared_folder_give_the_same_scores(run, store, threads, tmp_path):
    prefix = store.environment | {"NADP_HOME": f"{HOME}-of-workers"}
    machines = [prefix | {"NADP_CACHE": str(tmp_path / name)} for name in ("run", "one", "two")]
    with Cluster(tmp_path, *machines[1:]) as cluster:
        scores, _, _ = run("--runner", "dask", "--scheduler", cluster.address, **machines[0])
    assert scores == threads
    assert all(files(tmp_path / name, "artefacts") for name in ("run", "one", "two"))
    assert not files(tmp_path / "run", "scores")  # they were computed by the workers
