"""Items of each family from rows, and refusals of rows that do not fit their family."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nadp.errors import FormatError
from nadp.tokens import TREEBANK, Tokenizer
from nadp.utility.classification import LabelledRows, LabelledTexts
from nadp.utility.declaration import FEWEST_TERMS, Benchmark, Family
from nadp.utility.neighbours import NeighbourQueries
from nadp.utility.odd_man_out import Puzzles
from nadp.utility.sentence_similarity import SentencePairs
from nadp.utility.word_similarity import RowPairs, WordPairs

Items = RowPairs | WordPairs | SentencePairs | LabelledRows | LabelledTexts | Puzzles | NeighbourQueries
Rows = Sequence[Sequence[Any]]
_PLAIN = re.compile(r"[\w.+-]{0,20}")  # values that messages may show: no texts
_INTEGER = re.compile(r"[+-]?[0-9]{1,100}")
_UNLABELLED = "-1"
_PARTS = ("train", "test")
_ANOTHER = 'write another label = "...", or another split'


def items(benchmark: Benchmark, rows: Rows, tokenizer: Tokenizer = TREEBANK) -> Items:
    """Return the items of a benchmark.

    Args:
        benchmark: as declared.
        rows: word-pairs, row-pairs: two words or ids, score; sentence-pairs: two sentences, score, group ("" if
            unknown); labelled-texts, labelled-rows: text or id, label, part ("train", "test" or ""); odd-one-out: one
            list of terms, the odd one first; neighbours: one id for each, or nothing.
        tokenizer: for texts.

    Raises:
        FormatError: if a row does not fit its family, there are fewer than two labels, or all ratings are equal; the
            message names benchmark and row.
    """
    if not rows and (benchmark.family != "neighbours" or benchmark.sources):
        raise FormatError(f"{benchmark.name} holds no rows")
    return _MAKERS[benchmark.family](benchmark, rows, tokenizer)


def _word_pairs(benchmark: Benchmark, rows: Rows, _: Tokenizer) -> Items:
    first, second, ratings = zip(*rows, strict=True)
    _require_text(benchmark.name, first, second)
    return WordPairs(benchmark.name, first, second, _ratings(benchmark.name, ratings))


def _row_pairs(benchmark: Benchmark, rows: Rows, _: Tokenizer) -> Items:
    first, second, ratings = zip(*rows, strict=True)
    first_ids, second_ids = _ids(benchmark.name, first), _ids(benchmark.name, second)
    return RowPairs(benchmark.name, first_ids, second_ids, _ratings(benchmark.name, ratings))


def _sentence_pairs(benchmark: Benchmark, rows: Rows, tokenizer: Tokenizer) -> Items:
    first, second, ratings, groups = zip(*rows, strict=True)
    _require_text(benchmark.name, first, second)
    numbers, group_names = _ratings(benchmark.name, ratings), ["" if group is None else str(group) for group in groups]
    return SentencePairs(benchmark.name, first, second, numbers, group_names, tokenizer)


def _labelled_texts(benchmark: Benchmark, rows: Rows, tokenizer: Tokenizer) -> Items:
    texts, labels, given = zip(*rows, strict=True)
    _require_text(benchmark.name, texts)
    parts = _parts(benchmark.name, given)
    return LabelledTexts(benchmark.name, texts, _labels(benchmark, labels, parts), parts, tokenizer)


def _labelled_rows(benchmark: Benchmark, rows: Rows, _: Tokenizer) -> Items:
    keys, labels, given = zip(*rows, strict=True)
    ids = _ids(benchmark.name, keys)
    first = {key: number for number, key in reversed(list(enumerate(ids, start=1)))}
    for number, key in enumerate(ids, start=1):
        if first[key] != number:
            raise FormatError(f"{benchmark.name}, row {number}: the same id as in row {first[key]}: one label each")
    parts = _parts(benchmark.name, given)
    return LabelledRows(benchmark.name, ids, _labels(benchmark, labels, parts), parts)


def _puzzles(benchmark: Benchmark, rows: Rows, _: Tokenizer) -> Items:
    for number, (terms,) in enumerate(rows, start=1):
        if len(terms) < FEWEST_TERMS or not all(terms):
            others = FEWEST_TERMS - 1
            raise FormatError(
                f"{benchmark.name}, row {number}: a puzzle needs an odd term and {others} others, not {terms!r}"
            )
    return Puzzles(benchmark.name, tuple(tuple(str(term) for term in terms) for (terms,) in rows))


def _queries(benchmark: Benchmark, rows: Rows, _: Tokenizer) -> Items:
    ids = _ids(benchmark.name, [key for (key,) in rows])
    return NeighbourQueries(benchmark.name, tuple(ids), benchmark.sample, benchmark.count)


_MAKERS: Mapping[Family, Callable[[Benchmark, Rows, Tokenizer], Items]] = {
    "word-pairs": _word_pairs,
    "sentence-pairs": _sentence_pairs,
    "labelled-texts": _labelled_texts,
    "odd-one-out": _puzzles,
    "labelled-rows": _labelled_rows,
    "row-pairs": _row_pairs,
    "neighbours": _queries,
}


def _require_text(name: str, *columns: Sequence[Any]) -> None:
    for column in columns:
        for number, value in enumerate(column, start=1):
            if not isinstance(value, str) or not value.strip():
                raise FormatError(f"{name}, row {number}: {_shown(value)} is not a text")


def _ids(name: str, values: Sequence[Any]) -> list[str]:
    ids = [str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else "" for value in values]
    for number in (i for i, key in enumerate(ids, start=1) if not key):
        raise FormatError(
            f"{name}, row {number}: {_shown(values[number - 1])} is not an id: it is neither a string nor an integer"
        )
    return ids


def _parts(name: str, values: Sequence[Any]) -> list[str]:
    """Return the part of each row: all "train" or "test", or all "" if there is no official split."""
    parts = ["" if value is None else str(value).strip() for value in values]
    if not any(parts):
        return parts
    for number, part in enumerate(parts, start=1):
        if part not in _PARTS:
            raise FormatError(
                f"{name}, row {number}: the part is {_shown(part)}, but must be train or test in each row"
            )
    for part in _PARTS:
        if part not in parts:
            raise FormatError(f"{name}: no row has the part {part}: give both, or no part")
    return parts


def _labels(benchmark: Benchmark, values: Sequence[Any], parts: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the labels as 0, 1, ...: positions among the declared labels, or else among the labels in the data."""
    name = benchmark.name
    labels = [_label(name, number, value) for number, value in enumerate(values, start=1)]
    _require_labels(benchmark, labels, parts)
    names = list(benchmark.labels) or sorted(set(labels), key=_in_order)
    number_of_label = {label: i for i, label in enumerate(names)}
    if not any(map(_is_number, benchmark.labels)):  # else 0 would be both a label and the position of another
        number_of_label |= {str(i): i for i in range(len(names)) if str(i) not in number_of_label}
    for number, label in enumerate(labels, start=1):
        if label not in number_of_label:
            raise FormatError(f"{name}, row {number}: {_shown(label)} is not one of the labels {', '.join(names)}")
    return np.array([number_of_label[label] for label in labels], dtype=np.int64)


def _label(name: str, number: int, value: Any) -> str:  # noqa: ANN401 - any value of a file
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip() if isinstance(value, (str, int, float)) else ""
    if not text:
        raise FormatError(f"{name}, row {number}: there is no label")
    if _INTEGER.fullmatch(text):
        return str(int(text))
    if _is_number(text) and not float(text).is_integer():
        raise FormatError(f"{name}, row {number}: {text!r} is not a label; labels are words or integers")
    return str(int(float(text))) if _is_number(text) else text


def _require_labels(benchmark: Benchmark, labels: Sequence[str], parts: Sequence[str]) -> None:
    """Refuse labels that a classifier cannot learn."""
    name, counts = benchmark.name, Counter(labels)
    for part in dict.fromkeys(parts):
        if {label for label, part_of_label in zip(labels, parts, strict=True) if part_of_label == part} == {
            _UNLABELLED
        }:
            raise FormatError(
                f"{name}: every label {f'in {part} ' if part else ''}is -1: this split is not labelled: {_ANOTHER}"
            )
    if _UNLABELLED in counts and not counts.keys() <= {_UNLABELLED, "1"}:
        raise FormatError(f"{name}: some labels are -1, which means unknown: leave those rows out")
    if len(counts) < 2:
        raise FormatError(f"{name}: every label is {_shown(labels[0])}: this split has no labels to learn: {_ANOTHER}")
    if not benchmark.labels and counts.most_common(1)[0][1] == 1:
        raise FormatError(f"{name}: each of its {len(labels)} labels occurs once: {_ANOTHER}")


def _in_order(label: str) -> tuple[float, str]:
    return (float(label), label) if _is_number(label) else (float("inf"), label)


def _is_number(text: str) -> bool:
    try:
        return "_" not in text and bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _ratings(name: str, values: Sequence[Any]) -> npt.NDArray[np.float64]:
    ratings = np.array([_number(name, number, value) for number, value in enumerate(values, start=1)])
    if len(ratings) > 1 and (ratings == -1).all():
        raise FormatError(f"{name}: every score is -1, so this split is not labelled: choose another split")
    if len(ratings) > 1 and np.ptp(ratings) == 0:
        raise FormatError(
            f'{name}: every score is {ratings[0]:g}: there is nothing to compare: write another score = "..."'
        )
    return ratings


def _number(name: str, number: int, value: Any) -> float:  # noqa: ANN401 - any value of a file
    try:
        parsed = float(value)
    except (TypeError, ValueError):
        parsed = float("nan")
    if not np.isfinite(parsed):
        raise FormatError(f"{name}, row {number}: {_shown(value)} is not a number")
    return parsed


def _shown(value: Any) -> str:  # noqa: ANN401 - any value of a file
    """Return a value for a message, which must not repeat texts."""
    if isinstance(value, str) and not _PLAIN.fullmatch(value.strip()):
        return f"a text of {len(value)} characters"
    return repr(value)
