import numpy as np
import pytest

from nadp import Embeddings, InputError
from nadp.known_words import KnownWords
from nadp.utility.odd_man_out import OddManOut, Puzzles, odd_terms
from tests import reference


def values(evaluation, vectors):
    return {s.metric: s for s in evaluation.scores(evaluation.features(vectors[evaluation.rows]))}


@pytest.mark.parametrize("terms", [3, 4, 5])
def test_the_odd_term_is_the_one_whose_removal_leaves_the_largest_cosines(terms):
    puzzles = np.random.default_rng(terms).normal(size=(300, terms, 4)).astype(np.float32)
    if terms > 3:  # with three terms a zero vector leaves ties
        puzzles[:20, 1] = 0
    found = odd_terms(puzzles)
    assert found.tolist() == [reference.odd_one_out(puzzle) for puzzle in puzzles.tolist()]
    assert set(found.tolist()) == set(range(terms))


@pytest.fixture
def words():
    """`x` points away from a to d, which point much the same way."""
    return Embeddings(["x", *"abcd"], [[0, 1], [1, 0], [1, 0.1], [1, -0.1], [1, 0.2]])


LINES = (
    ("x", "a", "b", "c", "d"),  # right
    ("a", "x", "b", "C", "d"),  # wrong
    ("x", "a", "b", "c"),  # right; the authors need five terms
    ("x", "a", "b", "c", "unknown"),  # not answered
    ("x", "a", "b", "c", "d"),  # the first again
    ("x", "a", "b", "c", "d", "x", "a", "b", "c", "d"),  # two glued together
)


def test_puzzles_are_counted_once_and_the_authors_lines_as_they_stand(words):
    found = values(OddManOut([Puzzles("odd", LINES)], KnownWords(words)), words.vectors)
    assert {metric: (score.value, score.items, score.coverage) for metric, score in found.items()} == {
        "accuracy": (2 / 3, 3, 3 / 4),
        "correct-share": (2 / 4, 4, 3 / 4),
        "correct": (2, 4, 3 / 4),
        "wrong": (1, 4, 3 / 4),
        "abstained": (1, 4, 3 / 4),
        "reference-accuracy": (2 / 3, 3, 3 / 6),
        "reference-correct-share": (2 / 6, 6, 3 / 6),
        "reference-correct": (2, 6, 3 / 6),
        "reference-wrong": (1, 6, 3 / 6),
        "reference-abstained": (3, 6, 3 / 6),
    }


def test_several_sets_are_scored_each_by_itself(words):
    sets = [Puzzles("one", LINES[1:3]), Puzzles("two", LINES[:1])]
    evaluation = OddManOut(sets, KnownWords(words))
    scores = evaluation.scores(words.vectors[evaluation.rows])
    accuracy = {score.benchmark: score.value for score in scores if score.metric == "accuracy"}
    assert accuracy == {"one": 1 / 2, "two": 1}


def test_a_set_without_a_puzzle_that_can_be_answered_is_refused_by_name(words):
    sets = [Puzzles("one", LINES[:1]), Puzzles("odd", LINES[3:4])]
    with pytest.raises(InputError, match="odd"):
        OddManOut(sets, KnownWords(words))


def test_the_authors_way_of_counting_is_left_out_where_every_line_is_a_puzzle_of_its_own(words):
    found = values(OddManOut([Puzzles("odd", LINES[:4])], KnownWords(words)), words.vectors)
    assert set(found) == {"accuracy", "correct-share", "correct", "wrong", "abstained"}


def test_words_that_cannot_be_told_apart_are_not_counted_as_right(words):
    found = values(OddManOut([Puzzles("odd", LINES[:1])], KnownWords(words)), np.ones_like(words.vectors))
    assert found["correct"].value == 0


def test_the_words_that_are_needed_include_lower_case():
    assert Puzzles("odd", LINES[1:2]).words() == {"a", "x", "b", "c", "C", "d"}


@pytest.mark.shared
def test_the_authors_vectors_give_the_authors_figures(shared):
    with np.load(shared / "embeddings" / "glove.42B.300d.nadp-words.npz", allow_pickle=False) as file:
        words = Embeddings(file["words"].tolist(), file["vectors"])
    text = (shared / "benchmarks" / "odd_man_out" / "cat9trmsS.txt").read_text(encoding="utf-8")
    lines = [line.partition(":")[2] for line in text.splitlines() if line.strip()]
    puzzles = Puzzles("odd", tuple(tuple(term.strip() for term in line.split(",")) for line in lines))
    found = values(OddManOut([puzzles], KnownWords(words)), words.vectors)
    counts = {what: found[f"reference-{what}"].value for what in ("correct", "wrong", "abstained")}
    assert counts == {"correct": 468, "wrong": 421, "abstained": 284}
    assert found["reference-correct"].items == 1173
    assert found["correct"].items == 587
