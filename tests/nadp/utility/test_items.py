import numpy as np
import pytest

from nadp import FormatError
from nadp.tokens import Tokenizer
from nadp.utility.classification import LabelledTexts
from nadp.utility.declaration import METRICS, Benchmark, Source
from nadp.utility.items import items
from nadp.utility.neighbours import NeighbourQueries
from nadp.utility.word_similarity import RowPairs, WordPairs

GOOD = {
    "word-pairs": [("a", "b", 1.0), ("a", "c", 2)],
    "row-pairs": [("a", 7, 1.0), ("a", "c", 2)],
    "sentence-pairs": [("a", "b", 1.0, ""), ("a", "c", 2, "")],
    "labelled-texts": [("a", 0, ""), ("b", 1, ""), ("c", 1, "")],
    "labelled-rows": [("a", 0, ""), ("b", 1, ""), (3, 1, "")],
    "odd-one-out": [(["x", "a", "b"],)],
    "neighbours": [("a",), (7,)],
}
ANYWHERE = (Source("hub", "owner/name"),)


def made(family, rows, labels=(), name="mine", tokenizer=None):
    benchmark = Benchmark(name, family, METRICS[family][0], ANYWHERE, labels=labels)
    return items(benchmark, rows, *([tokenizer] if tokenizer else []))


def test_each_family_makes_its_value_of_plain_rows():
    pairs = made("word-pairs", [("a", "b", "4.5"), ["c", "d", 1]])
    assert isinstance(pairs, WordPairs)
    assert (pairs.name, list(pairs.first), list(pairs.second)) == ("mine", ["a", "c"], ["b", "d"])
    assert pairs.ratings.tolist() == [4.5, 1]
    rows = made("row-pairs", [("a", 7, "4.5"), ["c", "d", 1]])
    assert (type(rows), rows.second) == (RowPairs, ["7", "d"])
    sentences = made("sentence-pairs", [("a b", "c", 3, "news"), ("d", "e", 0.5, None)])
    assert (list(sentences.second), sentences.ratings.tolist()) == (["c", "e"], [3, 0.5])
    assert list(sentences.sources) == ["news", ""]
    labelled = made("labelled-texts", [("good", 1, "train"), ("bad", "0", "train"), ("so so", 1.0, "test")])
    assert (list(labelled.keys), labelled.labels.tolist()) == (["good", "bad", "so so"], [1, 0, 1])
    assert (labelled.labels.dtype, list(labelled.parts)) == (np.int64, ["train", "train", "test"])
    assert made("labelled-rows", GOOD["labelled-rows"]).keys == ["a", "b", "3"]
    assert made("odd-one-out", [(["x", "a", "b"],)]).lines == (("x", "a", "b"),)
    assert made("neighbours", GOOD["neighbours"]) == NeighbourQueries("mine", ("a", "7"))


@pytest.mark.parametrize(
    ("given", "declared", "expected"),
    [
        (["billing", "shipping", "billing"], (), [0, 1, 0]),
        (["b", "a", "b"], ("b", "a"), [0, 1, 0]),
        ([0, 1, 1], ("negative", "positive"), [0, 1, 1]),
        (["10", "9", "10"], (), [1, 0, 1]),
        ([True, False, True], (), [1, 0, 1]),
        (["+1", "-1", "-1"], (), [1, 0, 0]),
        ([" yes", "no", "yes"], (), [1, 0, 1]),
        (["1_0", "10", "1_0"], (), [1, 0, 1]),
        ([2**63, 2**63 + 1, 2**63], (), [0, 1, 0]),
    ],
)
def test_labels_are_names_or_numbers_in_the_order_that_is_declared_or_their_own(given, declared, expected):
    rows = [(f"text {i}", label, "") for i, label in enumerate(given)]
    assert made("labelled-texts", rows, declared).labels.tolist() == expected


@pytest.mark.parametrize("family", [family for family in GOOD if family != "neighbours"])
def test_a_benchmark_without_rows_is_refused_by_name(family):
    with pytest.raises(FormatError, match="mine"):
        made(family, [])


def test_neighbours_of_any_rows_need_no_rows():
    assert items(Benchmark("near", "neighbours", "neighbours-kept", sample=5), []) == NeighbourQueries("near", (), 5)


@pytest.mark.parametrize(
    ("family", "bad", "named"),
    [
        ("word-pairs", ("a", "b", "nan"), "'nan'"),
        ("word-pairs", ("a", "b", None), "None"),
        ("word-pairs", ("a", "", 1), "''"),
        ("word-pairs", (None, "b", 1), "None"),
        ("row-pairs", ("a", 0.5, 1), "0.5"),
        ("row-pairs", ("a", True, 1), "True"),
        ("sentence-pairs", ("a", " ", 1, ""), "' '"),
        ("sentence-pairs", ("a", "b", "x", ""), "'x'"),
        ("labelled-texts", (3.5, 1, ""), "3.5"),
        ("labelled-texts", ("a", "0.5", ""), "'0.5'"),
        ("labelled-texts", ("a", "", ""), ""),
        ("labelled-texts", ("a", None, ""), ""),
        ("labelled-rows", ("a", 1, ""), "row 1"),
        ("odd-one-out", (["a"],), r"\['a'\]"),
        ("odd-one-out", (["a", "", "c"],), ""),
        ("odd-one-out", (["a", "b"],), r"\['a', 'b'\]"),
        ("odd-one-out", ([None, "a", "b"],), "None"),
        ("neighbours", (None,), "None"),
    ],
)
def test_a_row_that_is_none_of_its_family_is_refused_with_its_number(family, bad, named):
    with pytest.raises(FormatError, match=f"mine, row {len(GOOD[family]) + 1}.*{named}"):
        made(family, [*GOOD[family], bad])


@pytest.mark.parametrize(
    ("labels", "declared"),
    [
        ([0, 0, 0], ()),
        ([-1, -1, -1], ()),
        ([0, 1, -1], ()),
        ([0, 1, 2], ("negative", "positive")),
        ([0, 1, 2], ("1", "2", "3")),
        (["a", "b", "c"], ()),
    ],
)
def test_labels_of_which_nothing_can_be_learnt_are_refused(labels, declared):
    with pytest.raises(FormatError, match="mine"):
        made("labelled-texts", [(f"text {i}", label, "") for i, label in enumerate(labels)], declared)


def test_a_part_without_labels_is_refused():
    parts = [("a", 0, "train"), ("b", 1, "train"), ("c", -1, "test"), ("d", "-1", "test")]
    with pytest.raises(FormatError, match="test"):
        made("labelled-texts", parts)


@pytest.mark.parametrize("family", ["labelled-texts", "labelled-rows"])
@pytest.mark.parametrize(
    ("parts", "named"),
    [
        (["train", "test", "", "train"], "row 3.*''"),
        (["train", "test", None, "train"], "row 3.*''"),
        (["train", "dev", "test", "train"], "row 2.*'dev'"),
        (["Train", "test", "test", "train"], "row 1.*'Train'"),
        (["train"] * 4, "no row has the part test"),
    ],
)
def test_parts_that_are_no_official_split_are_refused(family, parts, named):
    with pytest.raises(FormatError, match=f"mine.*{named}"):
        made(family, [(f"text {i}", i % 2, part) for i, part in enumerate(parts)])


@pytest.mark.parametrize("score", [-1, 3])
@pytest.mark.parametrize("family", ["word-pairs", "sentence-pairs", "row-pairs"])
def test_scores_that_do_not_differ_are_refused(family, score):
    with pytest.raises(FormatError, match="mine"):
        made(family, [(*row[:2], score, *row[3:]) for row in GOOD[family]])


PRIVATE = "Dear Sir, my account number is 4711"


@pytest.mark.parametrize(
    ("family", "rows"),
    [
        ("labelled-texts", [(PRIVATE, 0, ""), (PRIVATE, None, "")]),
        ("labelled-texts", [("a", PRIVATE, ""), ("b", PRIVATE, "")]),
        ("labelled-texts", [("a", PRIVATE, ""), ("b", "x", ""), ("c", "0.5", "")]),
        ("sentence-pairs", [("a", "b", PRIVATE, "")]),
        ("row-pairs", [("a", "b", PRIVATE)]),
        ("labelled-texts", [("a", PRIVATE, ""), ("b", "no", "")]),
    ],
)
def test_no_text_stands_in_a_message(family, rows):
    with pytest.raises(FormatError) as caught:
        made(family, rows, ("no", "yes") if family == "labelled-texts" else ())
    assert PRIVATE not in str(caught.value)


def test_texts_are_split_by_the_tokenizer_of_the_task():
    texts = made("labelled-texts", [("l'été", 0, ""), ("x", 1, ""), ("y", 1, "")], tokenizer=Tokenizer.of("fr"))
    assert isinstance(texts, LabelledTexts)
    assert texts.tokens() == [("l'", "été"), ("x",), ("y",)]
