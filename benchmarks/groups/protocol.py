"""What every figure of this benchmark is computed on: words, priors, benchmarks, and how a release is scored."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from benchmarks.without_noise import local_items
from nadp import Embeddings, EmbeddingSpace, read_embeddings
from nadp.attacks.disclosure import Background, content_words
from nadp.attacks.topics import clustered_topics
from nadp.embeddings import Floats, Ids
from nadp.groups import uniform_prior, zipf_prior
from nadp.known_words import KnownWords
from nadp.utility.classification import LabelledTexts
from nadp.utility.correlation import Ratings
from nadp.utility.cosine import cosines
from nadp.utility.sentence_similarity import SentencePairs, SentenceSimilarity
from nadp.utility.word_similarity import WordPairs

SETS = ("men", "simlex999", "simverb3500")
FOLDS, SEED = 5, 0
_NONE = np.empty(0, dtype=np.int64)
Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Protocol:
    """One embedding, prepared.

    Attributes:
        space: n words: the most frequent ones, and those of the word sets.
        ranks: (n,) the line of each word in the file, 1 for the first.
        sets: the sets of word pairs.
        sentences: pairs of sentences with ratings; None for none.
        texts: the rows of each labelled text's words, unknown ones left out.
        labels: of the texts under test, the first ones of `texts`; the others are what an attacker learns from.
    """

    space: EmbeddingSpace
    ranks: Ids
    sets: list[WordPairs]
    sentences: SentencePairs | None
    texts: list[Ids]
    labels: Ids

    @classmethod
    def of(cls, path: Path, benchmarks: Path, words: int, texts: int, *, english: bool = True) -> "Protocol":
        """Read an embedding, and the benchmarks of a local folder."""
        whole = read_embeddings(path)
        if not english:
            return cls(EmbeddingSpace.build(whole.subset(range(words))), np.arange(1, words + 1), [], None, [], _NONE)
        sets: list[WordPairs] = [_item(name, benchmarks) for name in SETS]
        needed = whole.rows(sorted({word for one in sets for word in (*one.first, *one.second)}))
        rows_of_words = np.union1d(np.arange(words), needed[needed >= 0])
        embeddings = whole.subset(rows_of_words)
        labelled: LabelledTexts = _item("mr", benchmarks)
        order = np.random.default_rng(SEED).permutation(len(labelled.labels))
        rows = [found[found >= 0] for found in map(embeddings.rows, labelled.tokens())]
        tested = labelled.labels[order[:texts]]
        space, sts = EmbeddingSpace.build(embeddings), _item("sts-b", benchmarks)
        return cls(space, rows_of_words + 1, sets, sts, [rows[i] for i in order], tested)

    @property
    def vectors(self) -> Floats:
        """(n, d) without noise."""
        return self.space.vectors

    @property
    def embeddings(self) -> Embeddings:
        """The words."""
        return self.space.embeddings

    @cached_property
    def tables(self) -> Background:
        """What an attacker of a table knows: all words are in it, once."""
        return Background(self.vectors, uniform_prior(len(self.space)).shares, self._content, self._topics)

    @cached_property
    def tokens(self) -> Background:
        """What an attacker of encoded tokens knows: Zipf's law."""
        return Background(self.vectors, zipf_prior(self.ranks).shares, self._content, self._topics)

    @cached_property
    def _content(self) -> npt.NDArray[np.bool_]:
        return content_words(1.0 / self.ranks)

    @cached_property
    def _topics(self) -> Ids:
        return clustered_topics(self.vectors)

    @cached_property
    def tested(self) -> tuple[Ids, Ids]:
        """The rows of the tokens of the texts under test, and where each text begins."""
        some = self.texts[: len(self.labels)]
        return np.concatenate(some), np.cumsum([0, *map(len, some)])

    @cached_property
    def domain(self) -> list[Ids]:
        """Other texts of the same domain."""
        return self.texts[len(self.labels) :]

    @cached_property
    def pairs(self) -> list[tuple[Ids, Ids, Ratings]]:
        """The rows of each word set's pairs with two known words, and their ratings."""
        found = []
        for one in self.sets:
            first, second = self.embeddings.rows(one.first), self.embeddings.rows(one.second)
            known = (first >= 0) & (second >= 0)
            found.append((first[known], second[known], Ratings(one.ratings[known])))
        return found

    @cached_property
    def items(self) -> Ids:
        """The rows of both sides of all pairs, set after set: what is encoded afresh where tokens are."""
        return np.concatenate([rows for first, second, _ in self.pairs for rows in (first, second)])

    def similarity(self, vectors: npt.NDArray[np.floating]) -> dict[str, float]:
        """Return Spearman's correlation for each set, from a vector for each of `items`."""
        found, start = {}, 0
        for name, (first, _, ratings) in zip(SETS, self.pairs, strict=True):
            half = start + len(first)
            found[name] = ratings.spearman(cosines(vectors[start:half], vectors[half : half + len(first)]))
            start = half + len(first)
        return found

    def sentiment(self, vectors: npt.NDArray[np.floating], texts: int | None = None) -> float:
        """Return the accuracy on the first texts under test, five folds, from a vector for each of their tokens."""
        labels = self.labels[:texts]
        starts = self.tested[1][: len(labels) + 1]
        lengths = np.diff(starts)
        sums = np.zeros((len(lengths), vectors.shape[1]))
        filled = np.flatnonzero(lengths)
        sums[filled] = np.add.reduceat(vectors.astype(np.float64), starts[filled], axis=0)
        features = sums / lengths.clip(min=1)[:, None]
        model = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-8, max_iter=1000)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        return float(cross_val_score(model, features, labels, cv=folds).mean())

    @cached_property
    def _sentences(self) -> SentenceSimilarity:
        if self.sentences is None:
            raise ValueError("no sentences were read")
        return SentenceSimilarity([self.sentences], KnownWords(self.embeddings))

    def sentences_of(self, table: Floats) -> float:
        """Return Spearman's correlation on STS-B of plain centroids of a table."""
        evaluation = self._sentences
        scores = evaluation.scores(evaluation.features(table[evaluation.rows]))
        return next(score.value for score in scores if score.metric == "spearman")


def _item(name: str, folder: Path) -> Any:  # noqa: ANN401 - the items of whatever family it is of
    return local_items(name, str(folder))
