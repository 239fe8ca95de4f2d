import math
from dataclasses import dataclass, field

import numpy as np

from nadp import EmbeddingSpace, Score
from nadp.attacks.overlap_sweep import OverlapAt
from nadp.experiment.curves import curves, recipe
from nadp.experiment.evaluation import privacy_scores, utility_scores
from nadp.experiment.facts import graph_facts, space_facts
from nadp.experiment.manifest import BenchmarkFacts, EmbeddingFacts, Manifest, ShownWord
from nadp.known_words import KnownWords
from nadp.noise import base_draw, research_rng
from nadp.runtime.versions import versions
from nadp.utility.word_similarity import WordPairs, WordSimilarity
from nadp.vocabulary import WordCounts

DELTA = 1e-4
MADE = ["nadp", "gaussian", "gaussian-classical", "mahalanobis", "jaccard"]


@dataclass
class Experiment:
    """A small experiment: its scores, and its manifest."""

    space: EmbeddingSpace
    epsilons: list[float]
    scores: list[Score] = field(default_factory=list)
    manifest: Manifest = field(init=False)

    def __post_init__(self):
        lines = curves(MADE, [0.5], ["exact"])
        recipes = [
            recipe(self.space, c, e, DELTA) for c in lines for e in ([None] if c.mechanism == "none" else self.epsilons)
        ]
        self.scores = [score for curve in lines for score in self._of([r for r in recipes if r.curve == curve])]
        self.manifest = Manifest(
            preset="paper",
            delta=DELTA,
            repeats=2,
            parameters={"preset": "paper"},
            embedding=EmbeddingFacts("small.txt", "0" * 64, 1, None, WordCounts(230, 20, 10, 0, {"pairs": 20}, {})),
            space=space_facts(self.space),
            graphs=(graph_facts(self.space),),
            curves=tuple(lines),
            recipes=tuple(recipes),
            benchmarks=(
                BenchmarkFacts("pairs", "word-pairs", "spearman", "made up", 60, "1" * 64, "", "none", "nobody"),
            ),
            missing=(),
            failed=(),
            shown=(
                ShownWord(lines[0], None, "w0", ("w1", "w2", "w3"), itself=False),
                *(ShownWord(lines[1], e, "w0", ("w0", "w2", "w7"), itself=True) for e in self.epsilons),
            ),
            overlap_sweep=(
                OverlapAt(0.0, (*[0] * 19, 240), math.nan, 1.0),
                OverlapAt(0.5, (100, 80, 60, *[0] * 17), 1.5, 0.25),
            ),
            versions=versions(),
        )

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
                rng = research_rng(0, curve.mechanism, repeat)
                draw = base_draw(curve.made.noise, self.space.embeddings, rng)
            found = utility_scores(evaluation, self.space, draw, recipes)
            attacked = privacy_scores(self.space, draw, recipes, repeat=repeat, seed=0)
            for one, useful, lost in zip(recipes, found, attacked, strict=True):
                figures = [*useful, *lost, *(one.scores(n) if not repeat else [])]
                yield from (one.placed(score, repeat) for score in figures)
