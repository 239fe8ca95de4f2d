import numpy as np
import pytest

from nadp import MECHANISMS, Embeddings, EmbeddingSpace, InputError
from nadp.audit.pair import paired
from nadp.mechanisms import claimed
from tests import reference

CLAIM = claimed("nadp", 2.0, 1e-4)


def released(space, seed=0):
    return MECHANISMS["nadp"]().perturb(space, CLAIM.epsilon, CLAIM.delta, np.random.default_rng(seed))


def test_words_are_matched_by_name_whatever_their_order(clustered):
    space = EmbeddingSpace.build(clustered)
    release = released(space)
    mixed = np.random.default_rng(1).permutation(len(space))
    more = Embeddings([*release.words[mixed].tolist(), "new"], np.vstack([release.vectors[mixed], release.vectors[:1]]))
    found = paired(space, more, CLAIM)
    assert np.array_equal(found.noisy, release.vectors)
    assert (found.missing, found.extra, found.space) == (0, 1, space)
    assert np.array_equal(found.noise, release.vectors.astype(float) - space.vectors)
    assert not found.exposed.any()


def test_the_claimed_scale_is_that_of_the_mechanism(clustered):
    space = EmbeddingSpace.build(clustered)
    found = paired(space, released(space), CLAIM)
    assert np.array_equal(found.claimed_scale, MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4))
    assert np.array_equal(found.scale_of_points[found.truth], found.claimed_scale)
    assert found.law.name == "gaussian"


def test_without_a_claim_the_scale_is_estimated_from_each_component(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.3)
    found = paired(space, released(space))
    assert found.claimed_scale is None
    scale = found.scale_of_points[found.truth]
    for label in set(space.labels.tolist()):
        inside = space.labels == label
        assert scale[inside] == pytest.approx(np.sqrt((found.noise[inside] ** 2).mean()))
    true = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)
    assert scale == pytest.approx(true, rel=0.6)


def test_the_overlap_is_that_of_the_lists_before_and_after(tied):
    space = EmbeddingSpace.build(tied)
    found = paired(space, released(space), CLAIM)
    of_word, first = reference.distinct(tied.vectors)
    points = tied.vectors[first].astype(float).tolist()
    lists = reference.neighbour_lists(points, 10)
    expected = [
        float(reference.jaccard(lists[i], reference.nearest(y, points, 10)))
        for i, y in zip(of_word, found.noisy.astype(float).tolist(), strict=True)
    ]
    assert found.overlap.tolist() == expected


def test_a_release_that_drops_words_is_judged_by_the_graph_it_was_made_with(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.5, isolated="drop")
    release = released(space)
    found = paired(space, release, CLAIM)
    assert found.missing == len(space) - len(release) > 50
    assert found.words.tolist() == release.words.tolist()
    scale = MECHANISMS["nadp"]().noise_scale(space, 2.0, 1e-4)[space.released]
    assert found.claimed_scale == pytest.approx(scale)


def test_a_release_of_fewer_words_is_compared_with_the_graph_as_it_was(clustered):
    space = EmbeddingSpace.build(clustered, tau=0.2, adjacency=3, n_neighbours=8, mutual=True, isolated="exact")
    graph = paired(space, clustered.subset(range(200))).space.neighbourhoods.graph
    assert graph is space.neighbourhoods.graph


def test_what_cannot_be_compared_is_refused_in_words(clustered):
    space = EmbeddingSpace.build(clustered)
    with pytest.raises(InputError, match="3 dimensions, the original 12"):
        paired(space, Embeddings(["w0"], np.ones((1, 3))))
    with pytest.raises(InputError, match="no word in common"):
        paired(space, Embeddings(["other"], np.ones((1, 12))))
    with pytest.raises(InputError, match=r"mechanism must be one of nadp.*'magic'"):
        claimed("magic", 1.0, 1e-4)
