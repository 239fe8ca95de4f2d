"""The evaluation of each family of tasks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nadp.known_words import KnownWords
from nadp.utility.base import Evaluation
from nadp.utility.classification import Classification, RowClassification
from nadp.utility.declaration import Family
from nadp.utility.neighbours import NeighboursKept
from nadp.utility.odd_man_out import OddManOut
from nadp.utility.sentence_similarity import SentenceSimilarity
from nadp.utility.word_similarity import PairSimilarity, WordSimilarity

# the items belong to the family, which the types do not express
EVALUATIONS: Mapping[Family, Callable[[Sequence[Any], KnownWords], Evaluation]] = {
    "word-pairs": WordSimilarity,
    "sentence-pairs": SentenceSimilarity,
    "labelled-texts": Classification,
    "odd-one-out": OddManOut,
    "labelled-rows": RowClassification,
    "row-pairs": PairSimilarity,
    "neighbours": NeighboursKept,
}
"""The evaluation of each family; its arguments are the items of its benchmarks and the known words."""
