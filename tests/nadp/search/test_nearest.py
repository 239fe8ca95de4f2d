import numpy as np
import pytest

from nadp import InputError, nearest_neighbours
from nadp.search import rule_for_auto

POINTS = np.eye(4)


@pytest.mark.parametrize(
    ("vectors", "options", "message"),
    [
        (np.ones(3), {}, r"shape \(3,\)"),
        (np.empty((0, 3)), {}, "non-empty"),
        ([[1.0], [np.nan]], {}, "finite"),
        (POINTS, {"n_neighbours": 0}, "at least 1, not 0"),
        (POINTS, {"search": "annoy", "recall": 0}, "recall.*not 0"),
        (POINTS, {"search": "annoy", "recall": 1.1}, r"recall.*not 1\.1"),
        (POINTS, {"recall": float("nan")}, "recall.*not nan"),
        (POINTS, {"search": "faiss"}, "nndescent.*not 'faiss'"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused_in_words(vectors, options, message):
    with pytest.raises(InputError, match=message):
        nearest_neighbours(vectors, **options)


def test_lists_are_shorter_where_there_are_fewer_points():
    assert nearest_neighbours(POINTS, 10).indices.shape == (4, 4)


def test_auto_is_a_rule_on_the_number_of_points_alone():
    assert [rule_for_auto(points) for points in (2, 200_000, 200_001)] == ["exact", "exact", "nndescent"]
    assert nearest_neighbours(POINTS, search="auto").search == "exact"


def test_exact_lists_say_so():
    found = nearest_neighbours(POINTS)
    assert (found.search, found.recall, len(found), found.n_neighbours) == ("exact", 1.0, 4, 4)
