from dataclasses import replace

import numpy as np
import pytest

from nadp import EmbeddingSpace
from tests import reference


def test_words_with_equal_vectors_share_everything(tied):
    space = EmbeddingSpace.build(tied, tau=0.3, isolated="drop")
    of_word, first_word = reference.distinct(tied.vectors)
    assert len(first_word) < len(tied)
    for figures in (space.labels, space.sensitivity, space.released, space.density):
        assert len(figures) == len(space) == len(tied)
        assert figures.tolist() == [figures[first_word[point]] for point in of_word]


def test_the_point_of_each_word_is_that_of_the_embedding(embeddings):
    space = EmbeddingSpace.build(embeddings, tau=0.2)
    assert space.point_of_word.tolist() == reference.distinct(embeddings.vectors)[0]


def test_equal_words_crowd_no_neighbour_out_of_a_list(tied):
    space = EmbeddingSpace.build(tied, n_neighbours=10)
    points = tied.vectors[reference.distinct(tied.vectors)[1]]
    assert space.neighbours.indices.tolist() == reference.neighbour_lists(points, 10)


def test_without_noise_the_nearest_points_are_those_of_a_naive_search(embeddings):
    exact = EmbeddingSpace.build(embeddings, n_neighbours=7)
    approximate = replace(exact, neighbours=replace(exact.neighbours, search="annoy", indices=None))
    of_word, first_word = reference.distinct(embeddings.vectors)
    lists = reference.neighbour_lists(embeddings.vectors[first_word], 7)
    words = np.arange(1, len(exact), 3)
    for space in (exact, approximate):
        assert space.nearest_without_noise(words).tolist() == [lists[of_word[word]] for word in words]


def test_the_l1_sensitivity_is_the_longest_edge_in_that_distance(embeddings):
    space = EmbeddingSpace.build(embeddings, tau=0.2, isolated="nearest")
    points = embeddings.points.vectors.astype(float).tolist()
    lengths = [
        sum(abs(a - b) for a, b in zip(points[i], points[j], strict=True)) for i, j in space.neighbourhoods.graph.edges
    ]
    assert space.global_l1_sensitivity == pytest.approx(max(lengths), rel=1e-14)


def test_density_is_the_mean_distance_to_the_nine_nearest_other_points(clustered):
    points = clustered.vectors
    expected = [
        np.mean([reference.distance(points[own[0]], points[j]) for j in own[1:]])
        for own in reference.neighbour_lists(points, 10)
    ]
    assert EmbeddingSpace.build(clustered).density == pytest.approx(expected, rel=1e-12)


def test_annoy_at_full_recall_builds_the_same_space(clustered):
    exact, annoy = (EmbeddingSpace.build(clustered, search=search, recall=1.0) for search in ("exact", "annoy"))
    assert annoy.neighbours.search == "annoy"
    assert np.array_equal(exact.labels, annoy.labels)
    assert np.array_equal(exact.sensitivity, annoy.sensitivity)
