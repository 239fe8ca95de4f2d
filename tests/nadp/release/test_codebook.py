import json
from dataclasses import replace

import numpy as np
import pytest

from nadp import InputError, nearest_neighbours, read_embeddings
from nadp.files.durable import sha256_of
from nadp.groups import Bounds, counted_prior, load_partition, partition, uniform_prior
from nadp.release import Ledger, RefusedError
from nadp.release.codebook import CodebookLimits, CodebookOrder, publish_codebook
from nadp.release.partitions import OtherPartitionError
from nadp.release.places import places_of_codebook

TOPICS = np.arange(240) % 3


@pytest.fixture(scope="module")
def made(clustered):
    return partition(clustered, nearest_neighbours(clustered.vectors), uniform_prior(240), Bounds(5))


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


@pytest.fixture
def order(tmp_path):
    return CodebookOrder(tmp_path / "book.txt", embedding_is_public=True, at="2026-11-28")


def test_a_codebook_is_a_table_of_groups_with_map_partition_and_certificate(clustered, made, order, ledger):
    found = publish_codebook(clustered, made, TOPICS, order, ledger, "ab" * 32)
    table, at = read_embeddings(order.out), places_of_codebook(order.out)
    assert np.array_equal(table.vectors, made.centroids[made.labels])
    lines = [line.split("\t") for line in at["map"].read_text().splitlines()]
    assert lines[0] == ["word", "group"]
    assert lines[1:] == [[word, str(group)] for word, group in zip(clustered.words.tolist(), made.labels, strict=True)]
    assert load_partition(at["partition"]).digest == made.digest
    written = json.loads(at["certificate"].read_text())
    assert written["hashes"] == {"released_sha256": sha256_of(order.out), "source_sha256": "ab" * 32} == found.hashes
    assert written["partition"]["fingerprint"] == made.fingerprint
    assert (written["partition"]["largest_share"], written["partition"]["groups"]) == (made.largest_share, len(made))
    assert written["disclosed"]["recovery"] == pytest.approx(made.success)
    assert "not differential privacy" in written["statement"]
    assert made.fingerprint in at["page"].read_text()


def test_recomputed_it_is_the_same(clustered, made, order, ledger):
    publish_codebook(clustered, made, TOPICS, order, ledger)
    first = order.out.read_bytes()
    publish_codebook(clustered, made, TOPICS, order, ledger)
    assert order.out.read_bytes() == first


def test_a_codebook_of_private_vectors_is_refused(clustered, made, order, ledger):
    with pytest.raises(InputError, match="public"):
        publish_codebook(clustered, made, TOPICS, replace(order, embedding_is_public=False), ledger)
    assert not order.out.exists()


@pytest.mark.parametrize("reason", ["largest share", "largest group", "one topic"])
def test_the_gate_refuses_what_gives_away_too_much(clustered, made, order, ledger, reason):
    limits, topics = {
        "largest share": (CodebookLimits(largest_share=0.1), TOPICS),
        "largest group": (CodebookLimits(largest_group=4), TOPICS),
        "one topic": (CodebookLimits(), np.zeros(240, dtype=int)),
    }[reason]
    with pytest.raises(RefusedError, match=reason) as refused:
        publish_codebook(clustered, made, topics, replace(order, limits=limits), ledger)
    assert [measure.passed for measure in refused.value.measures].count(False) == 1
    assert not order.out.exists()


def test_a_partition_that_does_not_keep_its_bounds_is_refused(clustered, made, order, ledger):
    with pytest.raises(RefusedError, match="keeps its bounds"):
        publish_codebook(clustered, replace(made, bounds=Bounds(9)), TOPICS, order, ledger)


def test_a_series_has_one_partition_unless_another_is_accepted(clustered, made, order, ledger, tmp_path):
    publish_codebook(clustered, made, TOPICS, order, ledger)
    other = partition(clustered, nearest_neighbours(clustered.vectors), uniform_prior(240), Bounds(6))
    second = replace(order, out=tmp_path / "second.txt")
    with pytest.raises(OtherPartitionError, match=made.fingerprint[:12]):
        publish_codebook(clustered, other, TOPICS, second, ledger)
    assert not second.out.exists()
    publish_codebook(clustered, other, TOPICS, replace(second, series="others"), ledger)
    found = publish_codebook(clustered, other, TOPICS, replace(second, accept_another_partition=True), ledger)
    assert found.series["other_partitions"] == [made.fingerprint]
    publish_codebook(clustered, other, TOPICS, second, ledger)  # both are entered now


def test_words_that_join_leave_the_series_its_partition(clustered, order, ledger):
    old = clustered.subset(range(230))
    made = partition(old, nearest_neighbours(old.vectors), uniform_prior(230), Bounds(5))
    publish_codebook(old, made, TOPICS[:230], order, ledger)
    more = made.joined(clustered)
    publish_codebook(clustered, more, TOPICS, order, ledger)
    assert len(read_embeddings(order.out)) == 240


def test_a_prior_of_ones_own_texts_is_reported_in_the_certificate(clustered, order, ledger):
    prior = counted_prior(np.arange(1, 241), own_texts=True)
    made = partition(clustered, nearest_neighbours(clustered.vectors), prior, Bounds(5, 0.3))
    found = publish_codebook(clustered, made, TOPICS, order, ledger)
    assert "NO guarantee" in found.guarantee.statement
    assert "NO guarantee" in found.not_covered[0]
    assert "NO guarantee" not in " ".join(found.not_covered[1:])


def test_a_partition_of_other_words_is_refused(clustered, made, order, ledger):
    with pytest.raises(InputError, match="different words"):
        publish_codebook(clustered.subset(range(239)), made, TOPICS[:239], order, ledger)
