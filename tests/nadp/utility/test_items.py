import numpy as np
import pytest

from nadp import FormatError
from nadp.utility.items import items


def test_each_family_makes_its_value_of_plain_rows():
    pairs = items("word-similarity", "men", [("a", "b", "4.5"), ["c", "d", 1]])
    assert (pairs.name, list(pairs.first), list(pairs.second)) == ("men", ["a", "c"], ["b", "d"])
    assert pairs.ratings.tolist() == [4.5, 1]
    sentences = items("sentence-similarity", "sts", [("a b", "c", 3, "news"), ("d", "e", 0.5, "")])
    assert (list(sentences.second), sentences.ratings.tolist()) == (["c", "e"], [3, 0.5])
    assert list(sentences.sources) == ["news", ""]
    labelled = items("classification", "mr", [("good", 1, "train"), ("bad", "0", "test")])
    assert (list(labelled.keys), labelled.labels.tolist()) == (["good", "bad"], [1, 0])
    assert (labelled.labels.dtype, list(labelled.parts)) == (np.int64, ["train", "test"])
    assert items("odd-man-out", "odd", [(["x", "a", "b"],)]).lines == (("x", "a", "b"),)


@pytest.mark.parametrize("family", ["word-similarity", "sentence-similarity", "classification", "odd-man-out"])
def test_a_benchmark_without_rows_is_refused_by_name(family):
    with pytest.raises(FormatError, match="men holds no rows"):
        items(family, "men", [])


@pytest.mark.parametrize(
    ("family", "bad", "message"),
    [
        ("word-similarity", ("a", "b", "nan"), "row 2: 'nan' is no number"),
        ("word-similarity", ("a", "b", None), "row 2: None is no number"),
        ("word-similarity", ("a", "", 1), "row 2: '' is no text"),
        ("word-similarity", (None, "b", 1), "row 2: None is no text"),
        ("sentence-similarity", ("a", " ", 1, ""), "row 2: ' ' is no text"),
        ("sentence-similarity", ("a", "b", "x", ""), "row 2: 'x' is no number"),
        ("classification", (3.5, 1, ""), "row 2: 3.5 is no text"),
        ("classification", ("a", "good", ""), "row 2: 'good' is no number"),
        ("classification", ("a", 0, ""), "no labels to learn"),
        ("classification", ("a", -1, ""), "no labels to learn"),
        ("classification", ("a", 0.5, ""), "label"),
        ("odd-man-out", (["a"],), r"row 2: .*\['a'\]"),
        ("odd-man-out", (["a", "", "c"],), "row 2"),
    ],
)
def test_a_row_that_is_none_of_its_family_is_refused_with_its_number(family, bad, message):
    good = {
        "word-similarity": ("a", "b", 1.0),
        "sentence-similarity": ("a", "b", 1.0, ""),
        "classification": ("a", 0, ""),
        "odd-man-out": (["x", "a", "b"],),
    }
    with pytest.raises(FormatError, match=f"men.*{message}"):
        items(family, "men", [good[family], bad])


@pytest.mark.parametrize("family", ["word-similarity", "sentence-similarity", "classification"])
def test_a_split_without_labels_is_refused(family):
    row = {
        "word-similarity": ("a", "b", -1),
        "sentence-similarity": ("a", "b", -1, ""),
        "classification": ("a", -1, ""),
    }
    with pytest.raises(FormatError, match="men"):
        items(family, "men", [row[family]] * 3)
