"""The comparison: groups and every kind of noise, scored at the same recovery or the same disclosure."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.groups.protocol import Protocol
from benchmarks.groups.releases import (
    Drawn,
    Grouped,
    Meaningless,
    Noise,
    QuickExponential,
    Release,
    decoded,
    setting_with,
    told,
)
from nadp.attacks.disclosure import disclosed_by_groups
from nadp.embeddings import Floats, Ids
from nadp.groups import Bounds, Partition, partition, uniform_prior, zipf_prior
from nadp.mechanisms import Gaussian, Mahalanobis, Nadp
from nadp.noise import GaussianNoise
from nadp.search import nearest_neighbours

SIZES = (2, 3, 4, 5, 6, 7, 8, 12, 20, 40, 80, 120)
SHARES = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15)
OF_TABLES = [("recovery", value) for value in (0.02, 0.05, 0.1, 0.2, 0.4)] + [("r2", 0.25), ("r2", 0.55)]
_LISTS = 10
Row = dict[str, Any]
Keep = Callable[[str, Callable[[], Row]], Row]
Make = Callable[[float], Release]


@dataclass(frozen=True)
class Size:
    """How much is computed: words, texts, words that are attacked, draws."""

    words: int
    texts: int
    attacked: int
    draws: int


def grouped(protocol: Protocol, bounds: Bounds, *, uniform: bool) -> Partition:
    """Return a partition of the words."""
    prior = uniform_prior(len(protocol.space)) if uniform else zipf_prior(protocol.ranks)
    return partition(protocol.embeddings, protocol.space.neighbours, prior, bounds)


def noises(protocol: Protocol) -> dict[str, Make]:
    """Return each kind of noise, by name."""
    made = {"isotropic": Gaussian(), "NADP": Nadp(), "Mahalanobis": Mahalanobis()}
    return {name: Noise.of(mechanism, protocol.space) for name, mechanism in made.items()}


def between(groups: Partition) -> Make:
    """Return the exponential mechanism between groups, at any epsilon."""
    labels = groups.labels.astype(np.int64)
    return lambda epsilon: Drawn("between groups", epsilon, QuickExponential(groups.centroids, epsilon), labels)


def noise_on(groups: Partition) -> Make:
    """Return Gaussian noise on the centroids of groups; the setting is one over its standard deviation."""
    centroids, law, weights = groups.table.vectors, GaussianNoise(), np.ones(len(groups.labels))
    return lambda setting: Noise("noise on groups", setting, centroids, law, weights)


def over_words(protocol: Protocol) -> Make:
    """Return the exponential mechanism over all words, at any epsilon."""
    every = np.arange(len(protocol.space))
    return lambda epsilon: Drawn("over words", epsilon, QuickExponential(protocol.vectors, epsilon), every)


def tables(protocol: Protocol, size: Size, keep: Keep) -> None:
    """Compare tables, all words alike."""
    keep("tables/none", lambda: _of_table(protocol, protocol.vectors))
    for least in SIZES:
        keep(f"tables/groups/K={least}", lambda least=least: _groups(protocol, Bounds(least), uniform=True))
    small = grouped(protocol, Bounds(3), uniform=True)
    rivals = noises(protocol) | {
        "between groups of 3": between(small),
        "noise on groups of 3": noise_on(small),
        "over words": over_words(protocol),
    }
    for name, make in rivals.items():
        for figure, value in OF_TABLES:
            key = f"tables/{name}/{figure}={value}"
            _keep_matched(protocol, size, keep, key, make, Match(figure, value, uniform=True))


def tokens(protocol: Protocol, size: Size, keep: Keep) -> None:
    """Compare encoded tokens, Zipf's law."""
    keep("tokens/none", lambda: _of_tokens(protocol, protocol.vectors[_asked(protocol)]))
    for share in SHARES:
        keep(f"tokens/groups/b={share}", lambda share=share: _groups(protocol, Bounds(max_share=share), uniform=False))
    small = grouped(protocol, Bounds(max_share=0.5), uniform=False)
    rivals = noises(protocol) | {
        "between groups, b = .5": between(small),
        "noise on groups, b = .5": noise_on(small),
        "over words": over_words(protocol),
    }
    for name, make in rivals.items():
        for share in (0.3, 0.2):
            own = keep(f"tokens/groups/b={share}", dict)
            for figure in ("recovery", "r2"):
                key = f"tokens/{name}/{figure} of b={share}"
                _keep_matched(protocol, size, keep, key, make, Match(figure, own[figure], uniform=False))


def small(protocol: Protocol, keep: Keep) -> None:
    """Score groups at 50 dimensions, as shares of the score without them."""
    for name, bounds in {"K=8": Bounds(8), "b=0.3": Bounds(max_share=0.3), "b=0.2": Bounds(max_share=0.2)}.items():
        uniform = bounds.min_size > 1
        clean = keep("small/none", lambda: _of_tokens(protocol, protocol.vectors[_asked(protocol)]))
        row = keep(f"small/{name}", lambda b=bounds, u=uniform: _groups(protocol, b, uniform=u))
        keep(f"small/{name}/shares", lambda r=row, c=clean: {one: r[one] / c[one] for one in ("men", "mr")})


def neighbours_kept(protocol: Protocol, size: Size, keep: Keep) -> None:
    """Count the true ten nearest neighbours that are kept at recovery .10, all words alike."""
    words = np.random.default_rng(0).permutation(len(protocol.space))[: size.attacked]
    for least in (6, 7, 8):
        groups = grouped(protocol, Bounds(least), uniform=True)
        exact = asdict(disclosed_by_groups(groups.labels, protocol.tables))
        kept = partial(_kept, protocol, groups.table.vectors, words)
        keep(f"french/groups/K={least}", lambda exact=exact, kept=kept: exact | {"kept": kept()})
    for name, make in noises(protocol).items():
        for draw in range(size.draws):

            def row(make: Make = make, draw: int = draw) -> Row:
                release, rng = setting_with(make, "recovery", 0.1, words, protocol.tables), np.random.default_rng(draw)
                if release is None:
                    return {}
                disclosure = told(release, words, protocol.tables, rng)
                every = release.outputs(np.arange(len(protocol.space)), rng)
                ways = {way: _kept(protocol, v, words) for way, v in decoded(release, every, protocol.tables).items()}
                return asdict(disclosure) | {"setting": release.setting, "kept": ways}

            keep(f"french/{name}/recovery=0.1/{draw}", row)


def _groups(protocol: Protocol, bounds: Bounds, *, uniform: bool) -> Row:
    """Return all figures of a partition, and of its floor: a random vector for each group."""
    groups = grouped(protocol, bounds, uniform=uniform)
    known = protocol.tables if uniform else protocol.tokens
    row: Row = asdict(disclosed_by_groups(groups.labels, known)) | {
        "largest_share": groups.largest_share,
        "groups": len(groups),
        "largest_group": int(groups.sizes.max()),
        "largest_mass": float(groups.mass.max()),
    }
    score = _of_table if uniform else _of_tokens
    asked = np.arange(len(protocol.space)) if uniform else _asked(protocol)
    for release, prefix in ((Grouped("", 0, groups), ""), (Meaningless("", 0, groups), "floor ")):
        vectors = release.raw(groups.labels[asked])
        row |= {prefix + figure: value for figure, value in score(protocol, vectors).items()}
    return row


@dataclass(frozen=True)
class Match:
    """What a rival is set to: a figure that the attacker reaches, under a prior."""

    figure: str
    value: float
    uniform: bool


def _keep_matched(protocol: Protocol, size: Size, keep: Keep, key: str, make: Make, match: Match) -> None:  # noqa: PLR0913, PLR0917
    """Keep the figures of some draws of a release with a wanted recovery or r2."""
    known = protocol.tables if match.uniform else protocol.tokens
    words = np.random.default_rng(0).choice(
        len(protocol.space), size.attacked, p=known.prior, replace=not match.uniform
    )

    def matched() -> Row:
        release = setting_with(make, match.figure, match.value, words, known)
        return {"setting": None if release is None else release.setting}

    setting = keep(f"{key}/setting", matched)
    if setting["setting"] is None:
        return

    def found(draw: int) -> Row:
        release, rng = make(setting["setting"]), np.random.default_rng([1, draw])
        row: Row = asdict(told(release, words, known, rng))
        asked = np.arange(len(protocol.space)) if match.uniform else _asked(protocol)
        score = _of_table if match.uniform else _of_tokens
        ways = decoded(release, release.outputs(asked, rng), known)
        return row | {way: score(protocol, vectors) for way, vectors in ways.items()}

    for draw in range(size.draws):
        keep(f"{key}/{draw}", partial(found, draw))


def _asked(protocol: Protocol) -> Ids:
    """Return the rows of all tokens that are encoded: of the word pairs, then of the texts."""
    return np.concatenate([protocol.items, protocol.tested[0]])


def _of_tokens(protocol: Protocol, vectors: Floats) -> dict[str, float]:
    """Return the scores of a vector for each token."""
    cut = len(protocol.items)
    return protocol.similarity(vectors[:cut]) | {"mr": protocol.sentiment(vectors[cut:])}


def _of_table(protocol: Protocol, table: Floats) -> dict[str, float]:
    """Return the scores of a vector for each word."""
    return _of_tokens(protocol, table[_asked(protocol)]) | {"sts": protocol.sentences_of(table)}


def _kept(protocol: Protocol, table: Floats, words: Ids) -> float:
    """Return the share of the true ten nearest neighbours of some words that are nearest in a table, ties by word."""
    true = protocol.space.neighbours.indices[words, 1:]
    near = nearest_neighbours(table, _LISTS).indices[words, 1:]
    return float((true[:, :, None] == near[:, None, :]).any(axis=2).mean())
