from collections import Counter
from importlib.metadata import version

import numpy as np
import pytest

from nadp import Embeddings, EmbeddingSpace
from nadp.experiment.facts import SpaceFacts, graph_facts, space_facts
from nadp.runtime.versions import versions
from tests import reference


@pytest.mark.parametrize("isolated", ["exact", "drop", "nearest"])
def test_the_facts_of_a_graph_count_words_not_points(tied, isolated):
    space = EmbeddingSpace.build(tied, tau=0.4, isolated=isolated)
    of_word, first = reference.distinct(tied.vectors)
    points = tied.vectors[first]
    lists = reference.neighbour_lists(points, 10)
    plain = reference.graph(lists, "0.4")
    edges, delta, released = reference.protected(points, lists, plain, isolated)
    kept = [delta[point] for point in of_word if released[point]]
    alone = sum(not any(point in edge for edge in plain) for point in of_word)
    sizes = sorted(map(len, reference.components(len(points), edges)), reverse=True)
    found = graph_facts(space)
    assert (found.tau, found.isolated, found.edges, found.components) == (0.4, isolated, len(edges), len(sizes))
    assert list(found.largest) == sizes[:5]
    assert (found.isolated_words, found.isolated_share) == (alone, pytest.approx(alone / len(tied)))
    assert alone > 0
    assert found.words_without_noise == Counter(kept)[0.0]
    assert (found.words_without_noise > 0) == (isolated == "exact")
    assert found.sensitivity_global == pytest.approx(max(delta))
    assert found.sensitivity_median == pytest.approx(np.median(kept))


def test_the_facts_of_a_space_are_its_sizes_and_its_search(tied):
    assert space_facts(EmbeddingSpace.build(tied, n_neighbours=7)) == SpaceFacts(
        words=150,
        distinct_vectors=len(reference.distinct(tied.vectors)[1]),
        dimension=3,
        n_neighbours=7,
        search="exact",
        recall=1.0,
        search_details="",
    )


def test_versions_are_those_of_installed_packages():
    assert versions()["numpy"] == version("numpy")
    assert "nadp" in versions()


@pytest.mark.parametrize(("isolated", "without_noise"), [("exact", 40), ("drop", 0), ("global", 0)])
def test_a_graph_without_edges_has_facts_but_no_sensitivity(isolated, without_noise):
    vectors = np.random.default_rng(0).standard_normal((40, 20)).astype(np.float32)
    words = np.array([f"w{i}" for i in range(40)])
    space = EmbeddingSpace.build(Embeddings(words, vectors), tau=1.0, isolated=isolated)
    found = graph_facts(space)
    assert (found.edges, found.isolated_words, found.words_without_noise) == (0, 40, without_noise)
    assert np.isnan(found.sensitivity_global)
    assert (found.sensitivity_median == 0) == (isolated == "exact")
