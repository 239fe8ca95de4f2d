"""Embeddings that are not of this disk: a URL, and a repository of the Hub at a revision."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nadp import InputError, read_embeddings
from tasks.embedding import download_glove
from tasks.sources.places import place_of
from tasks.sources.retries import UnreachableError
from tests.nadp.files.models import some, write_model
from tests.servers import HubServer, closed_port

TABLE = b"the 0.5 1\nof 2 3\n"
TOKENS = ["[UNK]", "the", "of"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ROOT = Path(__file__).parents[3]


def test_a_url_is_fetched_once_and_named_without_what_may_be_secret(home, server):  # noqa: ARG001
    server.files["/data/glove.txt"] = TABLE
    url = server.url.replace("//", "//me:secret@") + "/data/glove.txt?token=abc"
    first, second = download_glove.fn(url), download_glove.fn(url)
    assert first == second
    assert first.name == server.url + "/data/glove.txt"
    assert read_embeddings(first.file.path).words.tolist() == ["the", "of"]
    assert server.count("GET") == 1


def test_what_a_url_gives_must_hold_what_was_asked_for(home, server):  # noqa: ARG001
    server.files["/glove.txt"] = TABLE
    good = hashlib.sha256(TABLE).hexdigest()
    with pytest.raises(InputError, match=good):
        download_glove.fn(f"{server.url}/glove.txt", sha256="0" * 64)
    assert download_glove.fn(f"{server.url}/glove.txt", sha256=good).file.sha256 == good


def test_a_url_that_nobody_answers_is_named_without_its_secrets(home, monkeypatch):  # noqa: ARG001
    with pytest.raises(UnreachableError):
        download_glove.fn(f"{closed_port()}/glove.txt")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UnreachableError, match="offline") as caught:
        download_glove.fn(f"{closed_port()}/glove.txt?token=abc")
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize("embedding", ["https://example.org/a.txt?token=abc", "owner/name", "owner/name@main"])
def test_what_is_private_is_not_fetched_since_it_would_be_kept(embedding):
    with pytest.raises(InputError, match="public") as caught:
        download_glove.fn(embedding, private=True)
    assert "abc" not in str(caught.value)


def test_a_file_of_this_disk_comes_before_the_hub(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place_of("owner/name") == place_of("owner/name@v1.0") == "hub"
    (tmp_path / "owner").mkdir()
    (tmp_path / "owner" / "name").write_bytes(TABLE)
    assert place_of("owner/name") == "file"
    for missing in ("owner/other.txt", "no-such-name", "a/b/c", "owner/words.npz"):
        with pytest.raises(InputError):
            place_of(missing)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What the real client finds: repositories by name, first online and then offline."""
    folder = tmp_path_factory.mktemp("hub")
    write_model(folder / "hub" / "owner" / "model", TOKENS, some(3, 2))
    write_model(folder / "hub" / "owner" / "nested", TOKENS, some(3, 2), nested=True)
    for name, files in (("table", ["README.md", "glove.txt"]), ("tables", ["a.txt", "b.txt"]), ("code", ["main.py"])):
        (folder / "hub" / "owner" / name).mkdir()
        for file in files:
            (folder / "hub" / "owner" / name / file).write_bytes(TABLE)
    names = ["owner/model", f"owner/model@{COMMIT}", "owner/nested", "owner/table", "owner/tables:b.txt"]
    bad = ["owner/tables", "owner/tables:c.txt", "owner/code", "owner/nothing", "owner/model@v9"]

    def client(endpoint, names, **more):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("HF_")} | more
        command = [sys.executable, "-m", "tests.tasks.sources.repositories_client", str(folder), endpoint, *names]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
        return dict(zip(names, json.loads(done.stdout), strict=True))

    with HubServer(folder / "hub", {"owner/model": COMMIT}) as hub:
        online = client(hub.url, names + bad)
    return online, client(closed_port(), [*names, "owner/code"], HF_HUB_OFFLINE="1")


def test_a_model_of_the_hub_comes_with_its_tokenizer_at_the_revision_that_was_asked_for(asked):
    online, _ = asked
    for name in ("owner/model", f"owner/model@{COMMIT}"):
        found = online[name]
        assert found["name"] == f"owner/model@{COMMIT[:12]}"
        assert (found["words"], found["tokenizer"]) == (TOKENS, True)
        assert found["beside"] == ["config.json", "tokenizer.json"]
    assert online["owner/nested"]["words"] == TOKENS


def test_a_repository_with_one_table_or_a_named_one_is_that_table(asked):
    online, _ = asked
    assert online["owner/table"]["words"] == ["the", "of"]
    assert online["owner/tables:b.txt"]["name"].endswith(":b.txt")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("owner/tables", "a.txt, b.txt"),
        ("owner/tables:c.txt", "c.txt"),
        ("owner/code", "main.py"),
        ("owner/nothing", "owner/nothing"),
        ("owner/model@v9", "v9"),
    ],
)
def test_what_the_hub_does_not_have_is_refused_by_name(asked, name, message):
    online, _ = asked
    assert online[name]["error"] == "InputError", online[name]
    assert message in online[name]["message"]


def test_offline_what_was_fetched_before_is_used_again(asked):
    online, offline = asked
    for name, found in offline.items():
        if name != "owner/code":
            assert found["words"] == online[name]["words"], found
    assert offline["owner/code"]["error"] in ("UnreachableError", "InputError")


def test_a_table_of_a_url_may_be_of_any_format(home, server, tmp_path):  # noqa: ARG001
    np.savez(tmp_path / "a.npz", words=np.array(["a", "b"]), vectors=np.eye(2, dtype=np.float16))
    server.files["/a.npz"] = (tmp_path / "a.npz").read_bytes()
    assert read_embeddings(download_glove.fn(f"{server.url}/a.npz").file.path).words.tolist() == ["a", "b"]
