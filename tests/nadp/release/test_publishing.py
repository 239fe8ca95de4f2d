import json

import numpy as np
import pytest

from nadp import EmbeddingSpace, InputError, privacy_profile, read_embeddings
from nadp.release import BudgetError, Ledger, Limits, RefusedError
from nadp.release.basis import own_graph
from nadp.release.places import places
from nadp.release.publishing import Order, publish
from tests.nadp.release.worker import drawn, entry


@pytest.fixture(scope="module")
def space(sample):
    return EmbeddingSpace.build(sample.subset(range(300)), tau=0.3)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


def test_the_same_order_is_published_once_and_its_noise_is_not_drawn_again(space, ledger, tmp_path):
    order = Order("run 1", tmp_path / "private.txt", 2.0)
    first = publish(own_graph(space), order, ledger)
    assert first is not None
    before = {path: path.read_bytes() for path in places(order.out)}
    assert publish(own_graph(space), order, ledger) is None
    assert {path: path.read_bytes() for path in places(order.out)} == before
    assert len(ledger.entries()) == 1


def test_the_certificate_beside_the_vectors_is_that_of_their_bytes(space, ledger, tmp_path):
    certificate = publish(
        own_graph(space), Order("run 1", tmp_path / "private.vec", 2.0, embedding_is_public=True), ledger, "ab" * 32
    )
    written = json.loads((tmp_path / "private.vec.certificate.json").read_text())
    assert written["hashes"] == certificate.hashes
    assert certificate.hashes["original_sha256"] == "ab" * 32
    assert written["delta_reached"] == privacy_profile(2.0, written["noise_multiplier"]) <= written["delta"]
    released = read_embeddings(tmp_path / "private.vec")
    scale = np.array(written["measured"]["least_and_largest_noise"])
    assert 0.5 * scale[0] < (released.vectors - space.vectors).std() < scale[1]


def test_a_page_of_the_certificate_lies_beside_it_if_one_is_made(space, ledger, tmp_path):
    order = Order("run 1", tmp_path / "private.vec", 2.0)
    certificate = publish(own_graph(space), order, ledger, page=lambda made: f"<p>{made.statement}</p>")
    assert (tmp_path / "private.vec.certificate.html").read_text() == f"<p>{certificate.statement}</p>"
    publish(own_graph(space), Order("run 2", tmp_path / "other.vec", 2.0), ledger)
    assert not (tmp_path / "other.vec.certificate.html").exists()


def test_a_private_original_is_reported_by_a_salted_hash_only(space, ledger, tmp_path):
    certificate = publish(own_graph(space), Order("run 1", tmp_path / "private.vec", 2.0), ledger, "ab" * 32)
    assert set(certificate.hashes) == {"released_sha256", "original_salted"}
    other = Ledger(tmp_path / "other.sqlite")
    again = publish(own_graph(space), Order("run 1", tmp_path / "again.vec", 2.0), other)
    assert again.hashes["original_salted"] != certificate.hashes["original_salted"]


@pytest.mark.parametrize(
    ("order", "error"),
    [
        ({"limits": Limits(max_recovery=1e-9), "epsilon": 10.0}, RefusedError),
        ({"budget": 1.0}, BudgetError),
        ({"epsilon": -1.0}, InputError),
    ],
)
def test_what_is_refused_leaves_no_file_and_spends_nothing(space, ledger, tmp_path, order, error):
    with pytest.raises(error):
        publish(
            own_graph(space), Order(**{"id": "run 1", "out": tmp_path / "private.txt", "epsilon": 2.0} | order), ledger
        )
    assert [path.name for path in tmp_path.iterdir() if "sqlite" not in path.name] == []
    assert {entry.state for entry in ledger.entries()} <= {"cancelled"}


def test_a_word_that_the_format_cannot_hold_is_refused_and_spends_nothing(sample, ledger, tmp_path):
    some = sample.subset(range(60))
    words = ["a b", *some.words.tolist()[1:]]
    space = EmbeddingSpace.build(type(some)(words, some.vectors))
    with pytest.raises(InputError, match="'a b' cannot be written as word2vec"):
        publish(own_graph(space), Order("run 1", tmp_path / "private.vec", 2.0), ledger)
    assert [entry.state for entry in ledger.entries()] == ["cancelled"]
    assert not list(tmp_path.glob("*.vec*"))


def test_a_sealed_release_whose_files_are_lost_stops_only_itself(space, ledger, tmp_path, caplog):
    lost = Order("lost", tmp_path / "lost" / "private.txt", 1.0)
    ledger.reserve(entry("lost"))
    files = drawn(tmp_path)
    ledger.seal("lost", files)
    files[0].ready.unlink()
    assert publish(own_graph(space), Order("run 1", tmp_path / "private.txt", 2.0), ledger) is not None
    assert "the release lost cannot be finished" in caplog.text
    with pytest.raises(InputError, match="the release lost cannot be finished"):
        publish(own_graph(space), lost, ledger)
    assert {each.id: each.state for each in ledger.entries()} == {"lost": "sealed", "run 1": "published"}
