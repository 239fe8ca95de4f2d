from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nadp import Embeddings, InputError, nearest_neighbours
from nadp.groups import Bounds, Sensitive, counted_prior, partition, uniform_prior, zipf_prior
from tests import reference


def grouped(embeddings, prior, bounds, width=5, sensitive=None):
    lists = nearest_neighbours(embeddings.points.vectors, width)
    return partition(embeddings, lists, prior, bounds, sensitive)


def members(labels):
    return [set(np.flatnonzero(labels == group).tolist()) for group in range(labels.max() + 1)]


def naive(embeddings, prior, bounds, width=5, sensitive=None):
    points = embeddings.points
    topics = np.full(len(embeddings), -1) if sensitive is None else sensitive.topics
    listed = set() if sensitive is None else set(sensitive.rows.tolist())
    words = [
        [(int(prior.weights[w]), int(topics[w]), w in listed) for w in np.flatnonzero(points.of_word == point)]
        for point in range(len(points))
    ]
    lists = reference.neighbour_lists(points.vectors, width)
    phases = [("size", bounds.min_size), ("share", bounds.max_share), ("topic", bounds.max_topic_share)]
    found = reference.merged(points.vectors, lists, words, phases)
    if found is None:
        return None
    groups = [{int(w) for p in group for w in np.flatnonzero(points.of_word == p)} for group in found]
    return sorted(groups, key=min)


@st.composite
def cases(draw):
    """Words on a small lattice, so that vectors, distances and costs are often equal; shares that floats hold."""
    words = draw(st.integers(4, 16))
    corner = st.lists(st.integers(0, 4), min_size=2, max_size=2)
    vectors = draw(st.lists(corner, min_size=words, max_size=words))
    counts = draw(st.lists(st.integers(1, 9), min_size=words, max_size=words))
    share = draw(st.sampled_from([1, 0.5, 0.25]))
    bounds = Bounds(draw(st.integers(1 if share < 1 else 2, 4)), share, draw(st.sampled_from([1, 0.5])))
    topics = np.array(draw(st.lists(st.integers(-1, 2), min_size=words, max_size=words)))
    rows = np.array(sorted(draw(st.sets(st.integers(0, words - 1), max_size=3))), dtype=np.int64)
    embeddings = Embeddings([f"w{i}" for i in range(words)], vectors)
    return embeddings, counted_prior(counts), bounds, draw(st.integers(1, 5)), Sensitive(rows, topics)


@given(cases())
def test_groups_are_those_of_the_naive_loops(case):
    embeddings, prior, bounds, _, _ = case
    if prior.weights.max() / bounds.max_share > prior.total:
        with pytest.raises(InputError, match="max_share"):
            grouped(*case)
    elif (expected := naive(*case)) is None:
        with pytest.raises(InputError, match="max_topic_share"):
            grouped(*case)
    else:
        found = grouped(*case)
        assert members(found.labels) == expected
        assert found.keeps_bounds()
        means = [embeddings.vectors[sorted(group)].astype(np.float64).mean(axis=0) for group in expected]
        assert found.centroids == pytest.approx(np.array(means), rel=1e-6)


@pytest.mark.parametrize("bounds", [Bounds(3), Bounds(max_share=0.3), Bounds(4, 0.15), Bounds(30), Bounds(2, 0.04)])
@pytest.mark.parametrize("exponent", [0.0, 1.0])
def test_groups_of_words_in_clusters_are_those_of_the_naive_loops(clustered, bounds, exponent):
    some = clustered.subset(range(60))
    prior = zipf_prior(60, exponent)
    if prior.shares.max() > bounds.max_share:
        with pytest.raises(InputError, match=r"'w0' alone has 0\.2"):
            grouped(some, prior, bounds)
    else:
        assert members(grouped(some, prior, bounds).labels) == naive(some, prior, bounds)


def test_words_of_one_vector_are_never_parted(tied):
    found = grouped(tied, uniform_prior(len(tied)), Bounds(2))
    for point in range(len(tied.points)):
        assert len(set(found.labels[tied.points.of_word == point].tolist())) == 1


def test_a_share_does_not_depend_on_the_order_in_which_words_are_added_up(sample):
    prior = zipf_prior(len(sample))
    order = np.random.default_rng(0).permutation(len(sample))
    assert prior.weights[order].sum() == prior.weights.sum() == sum(map(int, prior.weights))


def test_every_group_keeps_to_its_bounds_on_real_words(sample):
    some = sample.subset(range(2000))
    for bounds in (Bounds(8), Bounds(max_share=0.3), Bounds(8, 0.2)):
        found = grouped(some, zipf_prior(2000), bounds, 10)
        assert found.keeps_bounds()
        assert found.sizes.min() >= bounds.min_size
        assert found.largest_share <= bounds.max_share
        assert 10 < len(found) < 500


def test_centroids_may_weigh_words_by_their_prior(clustered):
    prior = zipf_prior(len(clustered))
    found = grouped(clustered, prior, Bounds(3, centroid="prior"))
    for group, rows in enumerate(members(found.labels)):
        own = sorted(rows)
        mean = np.average(clustered.vectors[own].astype(np.float64), axis=0, weights=prior.weights[own])
        assert found.centroids[group] == pytest.approx(mean, rel=1e-5, abs=1e-6)


def test_a_topic_of_sensitive_words_is_hidden_by_further_mergers(clustered):
    topics = np.arange(len(clustered)) // 8
    sensitive = Sensitive(np.array([3, 100]), topics)
    prior = uniform_prior(len(clustered))
    found = grouped(clustered, prior, Bounds(4, max_topic_share=0.25), sensitive=sensitive)
    for row in sensitive.rows:
        own = topics[found.labels == found.labels[row]]
        assert (own == topics[row]).mean() <= 0.25
    others = grouped(clustered, prior, Bounds(4))
    assert len(others) - len(found) <= 12  # only groups that hold a sensitive word grow


def test_the_table_holds_each_word_with_the_centroid_of_its_group(clustered):
    found = grouped(clustered, uniform_prior(len(clustered)), Bounds(5))
    table = found.table
    assert table.words.tolist() == clustered.words.tolist()
    for group in members(found.labels):
        assert len(np.unique(table.vectors[sorted(group)], axis=0)) == 1


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"min_size": 0}, "min_size .* not 0"),
        ({"min_size": 2.5}, "min_size .* not 2.5"),
        ({"max_share": 0.0}, "max_share .* not 0.0"),
        ({"max_share": float("nan")}, "max_share .* not nan"),
        ({"min_size": 2, "max_topic_share": 1.5}, "max_topic_share .* not 1.5"),
        ({}, "groups of one word"),
        ({"min_size": 2, "centroid": "median"}, "not 'median'"),
    ],
)
def test_bounds_that_bound_nothing_are_refused(bounds, message):
    with pytest.raises(InputError, match=message):
        Bounds(**bounds)


def test_what_no_partition_can_keep_is_refused(clustered):
    with pytest.raises(InputError, match=r"min_size 241.*240"):
        grouped(clustered, uniform_prior(240), Bounds(241))
    with pytest.raises(InputError, match=r"240 words .* not 239"):
        grouped(clustered, uniform_prior(239), Bounds(2))
    assert len(grouped(clustered, uniform_prior(240), Bounds(240))) == 1


def test_equal_inputs_make_one_fingerprint_and_any_change_another(clustered):
    found = grouped(clustered, uniform_prior(240), Bounds(5))
    assert grouped(clustered, uniform_prior(240), Bounds(5)).fingerprint == found.fingerprint
    moved = found.centroids.copy()
    moved[0, 0] += 1
    changed = [
        replace(found, centroids=moved),
        replace(found, bounds=Bounds(4)),
        replace(found, prior=replace(found.prior, name="other")),
        replace(found, words=found.words[::-1]),
        grouped(clustered, uniform_prior(240), Bounds(6)),
        grouped(clustered, zipf_prior(240), Bounds(5)),
    ]
    assert len({found.fingerprint, *(other.fingerprint for other in changed)}) == 1 + len(changed)


def test_new_words_join_the_nearest_group_and_no_centroid_moves(clustered):
    old, new = clustered.subset(range(200)), clustered.subset(range(190, 240))
    found = grouped(old, uniform_prior(200), Bounds(5))
    more = found.joined(new)
    assert more.words.tolist() == clustered.words.tolist()
    assert np.array_equal(more.centroids, found.centroids)
    assert np.array_equal(more.labels[:200], found.labels)
    for row in range(200, 240):
        assert more.labels[row] == reference.nearest(clustered.vectors[row], found.centroids, 1)[0]
    assert more.keeps_bounds()
    assert (more.made_of, more.fingerprint) == (200, found.fingerprint)
    assert more.digest != found.digest


def test_a_new_word_with_more_than_its_share_stays_unknown(clustered):
    old, new = clustered.subset(range(200)), clustered.subset(range(200, 203))
    found = grouped(old, counted_prior(np.full(200, 10)), Bounds(max_share=0.25))
    more = found.joined(new, [10, 1e6, 10])
    assert more.words.tolist()[200:] == ["w200", "w202"]
    assert more.keeps_bounds()


def test_new_words_need_weights_and_the_same_dimension(clustered):
    found = grouped(clustered, zipf_prior(240), Bounds(5))
    with pytest.raises(InputError, match="Zipf"):
        found.joined(Embeddings(["new"], np.zeros((1, 12))))
    with pytest.raises(InputError, match="finite weights"):
        found.joined(Embeddings(["new"], np.zeros((1, 12))), [np.nan])
    with pytest.raises(InputError, match="3 dimensions"):
        found.joined(Embeddings(["new"], np.zeros((1, 3))), [1])
