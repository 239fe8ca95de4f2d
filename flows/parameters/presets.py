"""The presets of an experiment."""

from typing import Any, Literal

from nadp.tokens import ENGLISH

Preset = Literal["demo", "paper", "reference"]

_COMMON: dict[str, Any] = {
    "embedding": "sample",
    "member": None,
    "sha256": None,
    "strict": False,
    "words": 10_000,
    "frequencies": None,
    "mechanisms": ["nadp", "gaussian", "laplacian", "mahalanobis", "jaccard"],
    "taus": [0.1],
    "isolated": ["nearest"],
    "min_sizes": [2, 4, 8, 16, 32],
    "max_shares": [0.5, 0.4, 0.3, 0.25, 0.2],
    "topics": None,
    "delta": None,
    "repeats": 5,
    "seed": 0,
    "search": "annoy",
    "recall": 0.95,
    "n_neighbours": 10,
    "adjacency": 2,
    "benchmarks": ["men", "simlex999", "simverb3500", "wordsim353", "sts-b", "mr", "cr", "mpqa", "odd-man-out"],
    "benchmarks_dir": None,
    "task": [],
    "language": ENGLISH,
    "tokenizer": None,
    "show": ["misogynist", "police", "hitler", "wikileaks", "FBI"],
    "out": None,
    "runner": "threads",
    "scheduler": None,
    "plan": False,
}

_FULL_SIZE: dict[str, Any] = {
    "embedding": "glove.42B.300d",
    "words": 73_404,
    "mechanisms": ["nadp", "jaccard", "mahalanobis", "gaussian", "laplacian"],
    "taus": [0.1, 0.2, 0.3, 0.4, 0.5],
    "isolated": ["exact"],
    "epsilons": [round(0.8 * step, 1) for step in range(1, 51)],
    "search": "exact",
}

PRESETS: dict[str, dict[str, Any]] = {
    "demo": {
        **_COMMON,
        "words": 5_000,
        "mechanisms": [*_COMMON["mechanisms"], "groups"],
        "isolated": ["nearest", "exact"],
        "epsilons": [1.0, 5.0, 10.0, 20.0, 40.0],
    },
    "paper": {
        **_COMMON,
        **_FULL_SIZE,
        "benchmarks": ["men", "simlex999", "simverb3500", "sts-b", "mr", "cr", "mpqa", "odd-man-out"],
    },
    "reference": {
        **_COMMON,
        **_FULL_SIZE,
        "mechanisms": ["nadp", "jaccard-reference", "mahalanobis", "gaussian", "laplacian-reference"],
        "repeats": 1,
        "benchmarks": [
            *("men", "simlex999", "simverb3000-test"),
            *("sts12", "sts13", "sts14", "sts15", "sts16"),
            *("sst2", "mr", "cr", "subj"),
            "odd-man-out",
        ],
    },
}
"""The values of each preset. A given parameter takes precedence."""
