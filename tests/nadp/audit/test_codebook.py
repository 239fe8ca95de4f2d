from dataclasses import replace

import numpy as np
import pytest

from nadp import Embeddings, nearest_neighbours
from nadp.audit.codebook import codebook_verdicts
from nadp.groups import Bounds, partition, zipf_prior


@pytest.fixture(scope="module", params=["equal", "prior"])
def made(clustered, request):
    lists = nearest_neighbours(clustered.vectors)
    return partition(clustered, lists, zipf_prior(240), Bounds(4, 0.4, centroid=request.param))


def failed(partition, table, *more):
    return [verdict.name for verdict in codebook_verdicts(partition, table, *more) if not verdict.passed]


def test_the_table_of_a_partition_passes_in_any_order_of_words(clustered, made):
    table = made.table.subset(np.arange(240)[::-1])
    certified = {"fingerprint": made.fingerprint}
    assert len(codebook_verdicts(made, table, clustered, certified)) == 6
    assert failed(made, table, clustered, certified) == []


def test_a_table_that_does_not_match_its_partition_fails(clustered, made):
    moved = made.table.vectors.copy()
    moved[7, 3] = np.nextafter(moved[7, 3], np.float32(np.inf))
    assert failed(made, Embeddings(clustered.words, moved)) == ["words of a group are released alike"]
    assert len(failed(made, clustered)) == 2  # the original vectors themselves
    swapped = replace(made, centroids=made.centroids[::-1])
    assert "rows are the partition's centroids" in failed(made, swapped.table)
    assert failed(made, made.table.subset(range(239))) == ["table and partition hold the same words"]


def test_a_partition_that_breaks_its_bounds_or_is_not_the_certified_one_fails(made):
    broken = replace(made, bounds=replace(made.bounds, max_share=0.1))
    assert failed(broken, made.table) == ["every group keeps its bounds"]
    assert failed(made, made.table, None, {"fingerprint": "0" * 64}) == ["the partition is the certified one"]


def test_centroids_of_other_vectors_fail(clustered, made):
    other = Embeddings(clustered.words, 1.01 * clustered.vectors)
    assert failed(made, made.table, other) == ["centroids are those of the original"]
    assert failed(made, made.table, clustered.subset(range(9))) == ["centroids are those of the original"]


def test_words_that_joined_later_are_no_part_of_the_centroids(clustered):
    old = clustered.subset(range(200))
    made = partition(old, nearest_neighbours(old.vectors), zipf_prior(200), Bounds(4, 0.4))
    more = made.joined(clustered, np.full(240, 1e-3))
    assert len(more.words) == 240
    assert failed(more, more.table, clustered) == []
