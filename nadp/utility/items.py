"""Benchmarks as plain rows, and the value that each family makes of them."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from nadp.errors import FormatError
from nadp.utility.classification import LabelledTexts
from nadp.utility.odd_man_out import Puzzles
from nadp.utility.sentence_similarity import SentencePairs
from nadp.utility.word_similarity import WordPairs

Family = Literal["word-similarity", "sentence-similarity", "classification", "odd-man-out"]
Items = WordPairs | SentencePairs | LabelledTexts | Puzzles
Rows = Sequence[Sequence[Any]]


def items(family: Family, name: str, rows: Rows) -> Items:
    """Return the items of a benchmark.

    Args:
        family: which family.
        name: of the benchmark.
        rows: word-similarity: two words, rating; sentence-similarity: two sentences, rating, source ("" if unknown);
            classification: text, label (0, 1, ...), part ("train", "test" or ""); odd-man-out: one list of terms, the
            odd one first.

    Raises:
        FormatError: if a row is none of its family; the message names benchmark and row.
    """
    if not rows:
        raise FormatError(f"{name} holds no rows")
    return _MAKERS[family](name, rows)


def _word_pairs(name: str, rows: Rows) -> WordPairs:
    first, second, ratings = zip(*rows, strict=True)
    _require_text(name, first, second)
    return WordPairs(name, first, second, _numbers(name, ratings))


def _sentence_pairs(name: str, rows: Rows) -> SentencePairs:
    first, second, ratings, sources = zip(*rows, strict=True)
    _require_text(name, first, second)
    return SentencePairs(name, first, second, _numbers(name, ratings), sources)


def _labelled_texts(name: str, rows: Rows) -> LabelledTexts:
    texts, labels, parts = zip(*rows, strict=True)
    _require_text(name, texts)
    numbers = _numbers(name, labels)
    for number in np.flatnonzero(numbers != np.round(numbers)) + 1:
        raise FormatError(f"{name}, row {number}: {labels[number - 1]!r} is no label, which is a whole number")
    if (numbers < 0).any() or len(np.unique(numbers)) < 2:
        raise FormatError(f"{name}: its labels are {sorted(set(numbers.tolist()))}: this split has no labels to learn")
    return LabelledTexts(name, texts, numbers.astype(np.int64), parts)


def _puzzles(name: str, rows: Rows) -> Puzzles:
    for number, (terms,) in enumerate(rows, start=1):
        if len(terms) < 2 or not all(terms):
            raise FormatError(f"{name}, row {number}: a puzzle needs several terms, not {terms!r}")
    return Puzzles(name, tuple(tuple(str(term) for term in terms) for (terms,) in rows))


_MAKERS: dict[Family, Callable[[str, Rows], Items]] = {
    "word-similarity": _word_pairs,
    "sentence-similarity": _sentence_pairs,
    "classification": _labelled_texts,
    "odd-man-out": _puzzles,
}


def _require_text(name: str, *columns: Sequence[Any]) -> None:
    for column in columns:
        for number, value in enumerate(column, start=1):
            if not isinstance(value, str) or not value.strip():
                raise FormatError(f"{name}, row {number}: {value!r} is no text")


def _numbers(name: str, values: Sequence[Any]) -> npt.NDArray[np.float64]:
    found = np.array([_number(name, number, value) for number, value in enumerate(values, start=1)])
    if len(found) > 1 and (found == -1).all():
        raise FormatError(f"{name}: every rating or label is -1, so this split is not labelled")
    return found


def _number(name: str, number: int, value: Any) -> float:  # noqa: ANN401 - whatever the file held
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = float("nan")
    if not np.isfinite(found):
        raise FormatError(f"{name}, row {number}: {value!r} is no number")
    return found
