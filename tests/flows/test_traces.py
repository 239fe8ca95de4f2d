"""What is private leaves no trace in NADP_HOME: vectors of releases and audits, texts that are encoded, own tasks."""

import numpy as np
import pytest

from flows.audit import audit
from flows.encode import encode
from flows.experiment import experiment
from flows.release import release
from nadp import Embeddings, read_embeddings
from nadp.files import write_embeddings
from nadp.release.places import default_ledger
from tasks.store.home import home

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

CANARY = "zqcanarybird"
NUMBERS = np.random.default_rng(99).normal(size=50).astype(np.float32)
TASK = 'name = "own"\nfamily = "labelled-texts"\nsource = "own.csv"\ntext = "body"\nlabel = "team"\n'


@pytest.fixture
def private(embedding, tmp_path):
    """An embedding of which one word and its numbers can be told from all others."""
    words = read_embeddings(embedding)
    path = tmp_path / "vectors.txt"
    write_embeddings(path, Embeddings([CANARY, *words.words], np.vstack([NUMBERS, words.vectors])))
    return path


def traces(folder):
    """The files that hold the word, or a few of its numbers next to each other, as bytes or as text."""
    text = " ".join(map(repr, NUMBERS[:2].tolist()))
    wanted = [CANARY.encode(), NUMBERS[:3].tobytes(), NUMBERS[:3].astype(np.float64).tobytes(), text.encode()]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if any(one in path.read_bytes() for one in wanted)]


@pytest.mark.parametrize("search", ["exact", "annoy"])
def test_vectors_of_a_release_and_of_its_audit_are_not_kept(private, tmp_path, search):
    if search == "annoy":
        pytest.importorskip("annoy")
    out = tmp_path / "private.txt"
    assert release(str(private), str(out), epsilon=1.0, search=search, return_state=True).is_completed()
    assert CANARY in out.read_text()  # the words are published
    state = audit(
        str(private), str(out), f"{out}.certificate.json", draws=0, out=str(tmp_path / "a"), return_state=True
    )
    assert state.is_completed()
    assert traces(home()) == []
    ledger = default_ledger()
    assert [ledger.stat().st_mode & 0o777, ledger.parent.stat().st_mode & 0o777] == [0o600, 0o700]
    kept = [path for path in (ledger.parent / "graphs").rglob("*") if path.is_file()]
    assert bool(kept) >= (search == "annoy")
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in kept)


def test_vectors_that_are_declared_public_are_kept_so_that_the_search_finds_what_is_there(private, tmp_path):
    out = tmp_path / "public.txt"
    given = {"embedding_is_public": True, "ledger": str(tmp_path / "ledger.sqlite")}
    assert release(str(private), str(out), epsilon=1.0, **given, return_state=True).is_completed()
    found = traces(home())
    assert found
    for path in found:
        path.unlink()


def test_texts_that_are_encoded_and_those_of_own_tasks_are_not_kept(embedding, tmp_path):
    words = [word for word in read_embeddings(embedding).words.tolist() if word.isalpha()]
    texts = [f"{words[i]} {words[i + 1]} {CANARY} {words[i + 2]}" for i in range(60)]
    (tmp_path / "texts.csv").write_text("text\n" + "".join(f"{text}\n" for text in texts))
    out = str(tmp_path / "encoded")
    assert encode(str(tmp_path / "texts.csv"), str(embedding), out, epsilon=5.0, return_state=True).is_completed()
    (tmp_path / "own.csv").write_text("body,team\n" + "".join(f"{t},{CANARY}{i % 2}\n" for i, t in enumerate(texts)))
    (tmp_path / "own.toml").write_text(TASK)
    settings = {"mechanisms": ["gaussian"], "epsilons": [1.0], "repeats": 1, "words": 300}
    own = {"task": [str(tmp_path / "own.toml")], "out": str(tmp_path / "run")}
    assert experiment(embedding=str(embedding), **settings, **own, return_state=True).is_completed()
    assert traces(home()) == []
