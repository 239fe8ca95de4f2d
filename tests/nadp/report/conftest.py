from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pytest

from nadp import MECHANISMS, EmbeddingSpace, Score
from nadp.experiment.curves import curves, recipe
from nadp.experiment.evaluation import privacy_scores, utility_scores
from nadp.known_words import KnownWords
from nadp.mechanisms import research_rng
from nadp.report.facts import curve_facts, embedding_facts, graph_facts
from nadp.runtime.versions import versions
from nadp.utility.word_similarity import WordPairs, WordSimilarity

DELTA = 1e-4
MADE = ["nadp", "gaussian", "gaussian-classical", "mahalanobis", "jaccard"]


@dataclass
class Experiment:
    """A small experiment: its scores, and its manifest with the keys that a run writes."""

    space: EmbeddingSpace
    epsilons: list[float]
    scores: list[Score] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        lines = curves(MADE, [0.5], ["exact"])
        recipes = [
            recipe(self.space, c, e, DELTA) for c in lines for e in ([None] if c.mechanism == "none" else self.epsilons)
        ]
        self.scores = [score for curve in lines for score in self._of([r for r in recipes if r.curve == curve])]
        self.manifest = {
            "parameters": {
                "preset": "paper",
                "epsilons": self.epsilons,
                "mechanisms": MADE,
                "delta": DELTA,
                "repeats": 2,
            },
            "embedding": {
                "name": "small.txt",
                "sha256": "0" * 64,
                "bytes": 1,
                "member": None,
                "counts": {"most frequent": 230, "added for a benchmark": 10},
            },
            "space": embedding_facts(self.space),
            "graphs": [asdict(graph_facts(self.space))],
            "curves": [curve_facts(curve) for curve in lines],
            "recipes": [asdict(one) for one in recipes],
            "benchmarks": [{"name": "pairs", "rows": 60, "origin": "made up", "warning": ""}],
            "missing": [],
            "failed": [],
            "shown": [self._shown("no noise", None, ["w1", "w2", "w3"], itself=False)]
            + [self._shown("nadp tau=0.5 exact", e, ["w0", "w2", "w7"], itself=True) for e in self.epsilons],
            "overlap_sweep": [
                {"sigma": 0.0, "counts": [0] * 19 + [240], "skewness": None, "recovery": 1.0},
                {"sigma": 0.5, "counts": [100, 80, 60] + [0] * 17, "skewness": 1.5, "recovery": 0.25},
            ],
            "versions": versions(),
        }

    @staticmethod
    def _shown(curve, epsilon, nearest, *, itself):
        return {"curve": curve, "epsilon": epsilon, "word": "w0", "nearest": nearest, "itself": itself}

    def _of(self, recipes):
        curve, n = recipes[0].curve, len(self.space)
        first, second = np.random.default_rng(0).integers(0, n, size=(2, 60))
        words = self.space.embeddings.words.tolist()
        pairs = WordPairs("pairs", [words[i] for i in first], [words[i] for i in second], np.arange(60.0))
        evaluation = WordSimilarity([pairs], KnownWords.of(self.space))
        for repeat in range(2):
            if curve.mechanism == "none":
                draw = self.space.vectors
            else:
                draw = MECHANISMS[curve.mechanism]().draw(self.space, research_rng(0, curve.mechanism, repeat))
            found = utility_scores(evaluation, self.space, draw, recipes)
            attacked = privacy_scores(self.space, draw, recipes, repeat=repeat, seed=0)
            for one, useful, lost in zip(recipes, found, attacked, strict=True):
                place = (curve.mechanism, curve.tau, curve.isolated, one.epsilon)
                figures = [*useful, *lost, *(one.scores(n) if not repeat else [])]
                yield from (score.at(*place, repeat) for score in figures)


@pytest.fixture(scope="session")
def experiment(clustered):
    return Experiment(EmbeddingSpace.build(clustered, tau=0.5, isolated="exact"), [1.0, 40.0])
