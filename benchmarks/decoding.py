"""How much utility decoding restores: MEN, MR and CR on encoded words and texts, for each way of decoding.

python -m benchmarks.decoding glove.6B.50d.zip path/to/benchmarks --words 20000 --epsilons 5 10 20 40

Every word of MEN and every token of MR and CR gets fresh noise, in training and test texts alike.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import Clock, peak_memory, written
from benchmarks.without_noise import local_items
from nadp import Embeddings, EmbeddingSpace, frequent_and_needed
from nadp.embeddings import Floats
from nadp.known_words import KnownWords
from nadp.texts import Decoder, EncodedTexts, TextEncoder
from nadp.texts.words import rows_of_texts
from nadp.utility.classification import Classification, LabelledTexts
from nadp.utility.correlation import Ratings
from nadp.utility.cosine import cosines
from nadp.utility.word_similarity import WordPairs

WAYS: dict[str, tuple[Any, bool] | None] = {
    "undecoded": None,
    "nearest word": ("nearest", False),
    "most likely word": ("likely", False),
    "most likely word, frequencies known": ("likely", True),
    "posterior mean": ("mean", False),
    "posterior mean, frequencies known": ("mean", True),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedding", type=Path)
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--mechanisms", nargs="+", default=["nadp", "mahalanobis"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=[5, 10, 20, 40])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    folder = str(given.benchmarks)
    pairs, *texts = (local_items(name, folder) for name in ("men", "mr", "cr"))
    tasks = _Tasks(given.embedding, given.words, pairs, texts)
    rows = [{"mechanism": "none", "epsilon": "", "decoded": "", "recovered": 1.0, **tasks.without_noise()}]
    about = {"embedding": given.embedding.name, "words": len(tasks.space), "repeats": given.repeats}
    clock = Clock()
    for mechanism in given.mechanisms:
        for epsilon in given.epsilons:
            with clock.of(f"{mechanism} {epsilon:g}"):
                rows += _means([tasks.encoded(mechanism, epsilon) for _ in range(given.repeats)])
            for row in rows[-len(WAYS) :]:
                print(row, flush=True)
            written({**about, "runs": rows, "peak_memory_gb": round(peak_memory() / 1e9, 2)}, given.out)


class _Tasks:
    """The embedding, and the benchmarks as texts of one token or of many."""

    def __init__(self, path: Path, words: int, pairs: WordPairs, texts: list[LabelledTexts]) -> None:
        needed = {one.name: one.words() for one in (pairs, *texts)}
        self.space = EmbeddingSpace.build(frequent_and_needed(path, size=words, needed=needed).embeddings)
        self.embeddings: Embeddings = self.space.embeddings
        self.pairs, self.texts = pairs, [text for one in texts for text in one.keys]
        self.classes = Classification(texts, KnownWords(self.embeddings))
        self.zipf = 1 / np.arange(1, len(self.space) + 1)  # words are in order of frequency

    def without_noise(self) -> dict[str, float]:
        rows = self.embeddings.rows([*self.pairs.first, *self.pairs.second])
        vectors = self.embeddings.vectors
        return self._scores(vectors[rows], self.classes.features(vectors[self.classes.rows]))

    def encoded(self, mechanism: Any, epsilon: float) -> list[dict[str, Any]]:  # noqa: ANN401 - a literal
        """Return the scores of one encoding, decoded in each way."""
        encoder = TextEncoder.build(self.space, epsilon=epsilon, mechanism=mechanism, accept_weak_privacy=True)
        words = encoder.encode([*self.pairs.first, *self.pairs.second])
        texts = encoder.encode(self.texts)
        right = np.concatenate(rows_of_texts(encoder.embeddings, self.texts, "drop", None)[0])
        return [
            {"mechanism": mechanism, "epsilon": epsilon, "decoded": name}
            | self._one_way(encoder, way, words, texts, right)
            for name, way in WAYS.items()
        ]

    def _one_way(
        self,
        encoder: TextEncoder,
        way: tuple[Any, bool] | None,
        words: EncodedTexts,
        texts: EncodedTexts,
        right: Any,  # noqa: ANN401
    ) -> dict[str, float]:
        if way is None:
            return {"recovered": float("nan")} | self._scores(words.vectors, texts.centroids())
        decoder = Decoder(encoder, way[0], self.zipf if way[1] else None)
        if way[0] == "mean":
            decoded, recovered = decoder.vectors(texts), float("nan")
        else:
            rows = decoder.rows(texts)
            decoded = replace(texts, vectors=encoder.embeddings.vectors[rows])
            recovered = float((rows == right).mean())
        return {"recovered": recovered} | self._scores(decoder.vectors(words).vectors, decoded.centroids())

    def _scores(self, words: Floats, centroids: Floats) -> dict[str, float]:
        half = len(words) // 2
        own = [s for s in self.classes.scores(centroids) if s.metric == "accuracy"]
        men = Ratings(self.pairs.ratings).spearman(cosines(words[:half], words[half:]))
        return {"men": men} | {score.benchmark: score.value for score in own}


def _means(runs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the mean of the figures over the repeats."""
    figures = ("recovered", "men", "mr", "cr")
    return [
        {**same[0], **{name: float(np.mean([one[name] for one in same])) for name in figures}}
        for same in zip(*runs, strict=True)
    ]


if __name__ == "__main__":
    main()
