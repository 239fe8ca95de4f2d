"""Attacks on what releases claim, on words of the sample: what each attack finds, and whether the release is refused.

python -m benchmarks.claims --out claims.json

Each figure comes from a separate attack, not from nadp's own checks: the size of other words' noise (under the table's
own graph and under public inputs), the noise scales that the published numbers show, budgets and deltas, words without
a guarantee, averages of many releases, the tail behind the mean, and samplers that add too little noise.
"""

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.machine import written
from nadp import SAMPLE, Embeddings, EmbeddingSpace, InputError, read_embeddings
from nadp.calibration import epsilon_of, mu_of, noise_multiplier
from nadp.noise.grid import noisy_on_grid
from nadp.release import Ledger, Limits, release
from nadp.release.basis import Basis, Sizing, own_graph
from nadp.release.ledger import Entry
from nadp.release.making import publication

TRIES = 200
OPEN = Limits(max_recovery=1, max_tail=1, max_unprotected=1, accept_weak_privacy=True)
DELTA = 1e-6
_SIZINGS = {
    "public graph": Sizing(sensitivity=2.5),
    "public constant": Sizing(sensitivity=2.5),
    "clipped": Sizing(clip=3.0),
}


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    words = read_embeddings(SAMPLE, limit=given.words)
    space = EmbeddingSpace.build(words)
    result: dict[str, Any] = {"words": len(words)}
    for attack in (by_other_words, scales_shown, weak_privacy, budgets, without_guarantee, averages, tails, samplers):
        result[attack.__name__] = found = attack(space)
        print(f"{attack.__name__}: {found}", flush=True)
    written(result, given.out)


def by_other_words(space: EmbeddingSpace) -> dict[str, int]:
    """Return in how many of 200 tries the size of other words' noise distinguishes neighbouring tables (epsilon 1)."""
    neighbour, row = _neighbour(space)
    others = np.arange(len(space)) != row
    public = EmbeddingSpace.build(read_embeddings(SAMPLE, limit=2 * len(space)))
    spaces, found = (space, neighbour), {}
    own = [publication(own_graph(one), 1.0, None, Limits()).scale for one in spaces]
    for kind, sizing in {"own graph": None, **_SIZINGS}.items():
        given = public if kind == "public graph" else None
        bases = [own_graph(s) if sizing is None else sizing.basis(s.embeddings, given) for s in spaces]
        found[kind] = _told_apart(bases, own, others)
    return found


def _neighbour(space: EmbeddingSpace) -> tuple[EmbeddingSpace, int]:
    """Return the space in which a word has the vector of the word at the other end of the longest edge, and its row."""
    graph, made = space.neighbourhoods.graph, []
    ends = space.embeddings.points.first_word[graph.edges[graph.lengths.argmax()]]
    for row, by in (ends, ends[::-1]):
        vectors = space.vectors.copy()
        vectors[row] = vectors[by]
        other = EmbeddingSpace.build(Embeddings(space.embeddings.words, vectors))
        change = np.delete(np.log(other.sensitivity / space.sensitivity), row)
        made.append((float((change**2).sum()), other, int(row)))
    _, other, row = max(made, key=lambda one: one[0])
    return other, row


def _told_apart(bases: list[Basis], scales: list[np.ndarray], others: np.ndarray) -> int:
    """Return how many of 200 tables are distinguished by the size of the noise of other words."""
    ratios, dimension = [], bases[0].embeddings.dimension
    for hidden, basis in enumerate(bases):
        settled = publication(basis, 1.0, None, Limits())
        for turn in range(TRIES // 2):
            source = np.random.default_rng((hidden, turn)).bytes
            noise = noisy_on_grid(basis.embeddings.vectors, settled.scale, settled.grid, source)
            noise -= bases[0].embeddings.vectors
            squares = (noise**2).sum(axis=1)
            likely = [(-squares / (2 * s**2) - dimension * np.log(s))[others].sum() for s in scales]
            ratios.append(likely[1] - likely[0])
    guessed = np.array(ratios) > np.median(ratios)
    return int((guessed == np.repeat([False, True], TRIES // 2)).sum())


def scales_shown(space: EmbeddingSpace) -> dict[str, Any]:
    """Return what published numbers alone reveal about noise scales and grid, and whether the certificate says so."""
    made = release(space, epsilon=1.0, limits=OPEN)
    lengths = np.linalg.norm(made.embeddings.vectors.astype(np.float64), axis=1)
    numbers = made.embeddings.vectors.astype(np.float64)
    grid = max(2.0**k for k in range(-40, 10) if (numbers % 2.0**k == 0).all())
    return {
        "log_correlation": float(np.corrcoef(np.log(lengths), np.log(space.sensitivity))[0, 1]),
        "grid_is_read_off": grid == publication(own_graph(space), 1.0, None, OPEN).grid,
        "said_in_certificate": any("disclosed" in line for line in made.certificate.not_covered),
        "first_line": made.certificate.statement.split()[0],
    }


def weak_privacy(space: EmbeddingSpace) -> dict[str, str]:
    """Return the outcome of releases with a large delta, whose mu equals a weak epsilon's."""
    asked = {"(1, .5)": (1.0, 0.5), "(10.5, 1e-6)": (10.5, DELTA), "(1, 2/n)": (1.0, 2 / len(space))}
    return {
        name: _refusal(partial(publication, own_graph(space), epsilon, delta, Limits()))
        for name, (epsilon, delta) in asked.items()
    } | {"epsilon of (1, .5) at 1e-6": f"{epsilon_of(mu_of(noise_multiplier(1.0, 0.5)), DELTA):.4g}"}


def budgets(_: EmbeddingSpace) -> dict[str, int]:
    """Return how many of nine epsilons pass a budget of exactly their size, and how many pass at a larger delta."""
    epsilons = (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 9.0)

    def passes(epsilon: float, delta: float) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            mu = mu_of(noise_multiplier(epsilon, delta))
            entry = Entry("a", "v", "g", "nadp", epsilon, delta, mu, "reserved", "", "")
            asked = Ledger(Path(folder, "ledger.sqlite"))
            return _refusal(partial(asked.reserve, entry, epsilon)) == "passed"

    return {
        "exactly the budget": sum(passes(epsilon, DELTA) for epsilon in epsilons),
        "the same at delta .1": sum(passes(epsilon, 0.1) for epsilon in epsilons),
        "of": len(epsilons),
    }


def without_guarantee(space: EmbeddingSpace) -> dict[str, str]:
    """Return the outcome for isolated="global", which leaves words without any guarantee, and the statement."""
    few = EmbeddingSpace.build(space.embeddings, tau=0.4, isolated="global")
    made = release(few, epsilon=1.0, limits=OPEN)
    return {
        "share": f"{few.neighbourhoods.was_isolated[few.embeddings.points.of_word].mean():.4f}",
        "by default": _refusal(lambda: release(few, epsilon=1.0)),
        "statement": made.certificate.statement.split(";", 1)[1].strip(),
    }


def averages(space: EmbeddingSpace) -> dict[str, Any]:
    """Return how many words the average of 25 releases at epsilon 5 reveals, and the outcome of the 25th release."""
    total = np.zeros(space.vectors.shape)
    for _ in range(25):
        total += release(space, epsilon=5.0, limits=OPEN).embeddings.vectors
    mu = mu_of(noise_multiplier(5.0, DELTA))
    return {
        "recovered": _recovered(space, total / 25, noise_multiplier(5.0, DELTA) / 5),
        "the 25th": _refusal(lambda: release(space, epsilon=5.0, earlier=[mu] * 24)),
    }


def tails(space: EmbeddingSpace) -> dict[str, Any]:
    """Return mean recovery, the share of words recovered in most of 20 releases at epsilon 10, and the outcome."""
    hits, u = np.zeros(len(space)), noise_multiplier(10.0, DELTA)
    for _ in range(20):
        hits += _found(space, release(space, epsilon=10.0, limits=OPEN).embeddings.vectors, u)
    return {
        "mean": float(hits.mean() / 20),
        "above_half": float((hits > 10).mean()),
        "by default": _refusal(lambda: release(space, epsilon=10.0)),
    }


def samplers(space: EmbeddingSpace) -> dict[str, str]:
    """Return the outcome of releases by samplers that add too little noise, with no limits."""
    scaled: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "nothing": lambda noise: 0 * noise,
        "half": lambda noise: noise / 2,
        "nothing to one word": lambda noise: np.where(np.arange(len(noise))[:, None] == 7, 0, noise),
        "one draw for two words": lambda noise: np.where(np.arange(len(noise))[:, None] == 7, noise[8], noise),
        "as settled": lambda noise: noise,
    }
    found, open_ = {}, replace(OPEN, false_alarm=1e-300)
    for name, change in scaled.items():
        with patch("nadp.release.making.noisy_table", partial(_stubbed, change)):
            found[name] = _refusal(partial(release, space, epsilon=1.0, limits=open_, sampler="system"))
    return found


def _stubbed(
    change: Callable[[np.ndarray], np.ndarray], vectors: np.ndarray, scale: np.ndarray, grid: float, _: str
) -> tuple[np.ndarray, bool]:
    """Return a table for publication whose noise was changed after its draw."""
    noise = change(np.random.default_rng().standard_normal(vectors.shape)) * scale[:, None]
    return (np.rint((vectors + noise) / grid) * grid).astype(np.float32), True


def _found(space: EmbeddingSpace, noisy: np.ndarray, multiplier: float) -> np.ndarray:
    """Return the words found by an attacker who knows each word's noise scale, with plain float64 products."""
    x, sigma = space.vectors.astype(np.float64), multiplier * space.sensitivity
    squared = (noisy.astype(np.float64) ** 2).sum(1)[:, None] - 2 * noisy @ x.T + (x**2).sum(1)
    return (squared / (2 * sigma**2) + x.shape[1] * np.log(sigma)).argmin(1) == np.arange(len(x))


def _recovered(space: EmbeddingSpace, noisy: np.ndarray, multiplier: float) -> float:
    return float(_found(space, noisy, multiplier).mean())


def _refusal(work: Callable[[], Any]) -> str:
    """Return the reason for a refusal, or that it passed."""
    try:
        work()
    except InputError as error:
        return str(error).split(": choose")[0][: 2**8]
    return "passed"


if __name__ == "__main__":
    main()
