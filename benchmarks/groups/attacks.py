"""What attackers make of encoded tokens: each attack on groups, and on noise of the same recovery by Bayes' rule.

All tokens are those of MR, or drawn by Zipf's law. The attacker by context learns from other texts of MR.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.groups.compared import Keep, Row, Size, between, grouped, noises
from benchmarks.groups.protocol import Floats64, Protocol
from benchmarks.groups.releases import Grouped, Outputs, Release
from nadp import EmbeddingSpace, read_embeddings
from nadp.attacks.context import Candidates, Language, most_probable_words
from nadp.embeddings import Ids
from nadp.groups import (
    Bounds,
    Prior,
    best_success,
    partition,
    prior_ratio,
    success_with,
    together,
    uniform_prior,
    zipf_prior,
)
from nadp.runtime.parallel import for_blocks
from nadp.search.decoding import block_rows

CANDIDATES = 50
REPEATS = (1, 2, 5, 25)
_SMALL = 1_000  # texts that are read by context under noise
_REPEATED = 500  # tokens that are encoded again and again


def all_of_them(protocol: Protocol, size: Size, keep: Keep) -> None:
    """Attack groups, and noise at the same recovery by Bayes' rule."""
    language = Language.of(protocol.domain, protocol.tokens.prior)
    texts = min(_SMALL, size.texts)
    for share in (0.3, 0.2):
        groups = grouped(protocol, Bounds(max_share=share), uniform=False)
        keep(f"attacks/groups b={share}/priors", partial(_priors, protocol, groups.labels))
        releases: dict[str, Release] = {f"groups b={share}": Grouped("groups", share, groups)}
        rivals = noises(protocol) | {"between groups, b = .5": _between(protocol)}
        for name, make in rivals.items():
            setting = keep(f"tokens/{name}/recovery of b={share}/setting", dict)
            if setting:
                releases[f"{name} as groups b={share}"] = make(setting["setting"])
        for name, release in releases.items():
            keep(f"attacks/{name}/texts", partial(_texts, protocol, release, language, texts))
            keep(f"attacks/{name}/repeated", partial(_repeated, protocol, release, size))


def two_partitions(protocol: Protocol, path: Path, keep: Keep) -> None:
    """Find the words of two partitions of the same words, the other one made from another embedding."""
    words = protocol.embeddings.words.tolist()
    whole = read_embeddings(path, words=set(words))
    other = EmbeddingSpace.build(whole.subset(whole.rows(words)))
    for name, bounds in {"K=8": Bounds(8), "K=5": Bounds(5), "b=0.3": Bounds(max_share=0.3)}.items():
        prior = uniform_prior(len(other)) if bounds.min_size > 1 else zipf_prior(protocol.ranks)

        def row(bounds: Bounds = bounds, prior: Prior = prior) -> Row:
            made = [partition(s.embeddings, s.neighbours, prior, bounds).labels for s in (protocol.space, other)]
            found = {f"alone {i}": best_success(labels, prior.weights) for i, labels in enumerate(made)}
            return found | {"together": best_success(together(*made), prior.weights)}

        keep(f"attacks/two partitions/{name}", row)


def _between(protocol: Protocol) -> Callable[[float], Release]:
    return between(grouped(protocol, Bounds(max_share=0.5), uniform=False))


def _priors(protocol: Protocol, labels: Ids) -> Row:
    """Return what attackers with a right and a wrong prior find, computed."""
    n, rows = len(protocol.space), protocol.tested[0]
    zipf, true = protocol.tokens.prior, np.bincount(rows, minlength=n).astype(np.float64)
    learnt = np.bincount(np.concatenate(protocol.domain), minlength=n) + zipf
    largest = int(np.bincount(labels, weights=zipf).argmax())
    return {
        "Zipf true, Zipf assumed": best_success(labels, zipf),
        "domain true, Zipf assumed": success_with(labels, zipf, true),
        "domain true, learnt from other texts": success_with(labels, learnt, true),
        "domain true and known": best_success(labels, true),
        "rho against counts of other texts": prior_ratio(labels, zipf, learnt / learnt.sum()),
        "tokens in the largest group": float((labels[rows] == largest).mean()),
        "prior of the largest group": float(zipf[labels == largest].sum()),
    }


def _texts(protocol: Protocol, release: Release, language: Language, texts: int) -> Row:
    """Return what attackers find of the tokens of some texts: by Zipf's law, by the domain's words, by its bigrams."""
    rows, starts = protocol.tested
    rows, starts = rows[: starts[texts]], starts[: texts + 1]
    outputs = release.outputs(rows, np.random.default_rng(0))
    zipf = _candidates(release, outputs, np.log(protocol.tokens.prior))
    single = _candidates(release, outputs, np.log(language.single))
    in_context = most_probable_words(language, starts, single)
    return {
        "tokens": len(rows),
        "Zipf assumed": float((_first(zipf, np.log(protocol.tokens.prior)) == rows).mean()),
        "domain unigrams": float((_first(single, np.log(language.single)) == rows).mean()),
        "domain bigrams": float((in_context == rows).mean()),
    }


def _candidates(release: Release, outputs: Outputs, prior: Floats64) -> Candidates:
    """Return the most probable words of each token, by likelihood and prior (n,), with their likelihoods."""
    count = min(CANDIDATES, len(prior))
    words, known = np.empty((len(outputs), count), dtype=np.int64), np.empty((len(outputs), count))

    def work(block: slice) -> None:
        likely = release.log_likelihoods(outputs[block])
        words[block] = np.argpartition(-(likely + prior), count - 1, axis=1)[:, :count]
        known[block] = np.take_along_axis(likely, words[block], axis=1)

    for_blocks(work, len(outputs), block_rows(len(prior)), "candidates")
    possible = np.isfinite(known)
    starts = np.concatenate([[0], np.cumsum(possible.sum(axis=1))])
    return Candidates(starts, words[possible], known[possible])


def _first(candidates: Candidates, prior: Floats64) -> Ids:
    """Return the most probable candidate of each token, (t,)."""
    score = candidates.log_likelihood + prior[candidates.words]
    best = np.maximum.reduceat(score, candidates.starts[:-1])
    token = np.repeat(np.arange(len(best)), np.diff(candidates.starts))
    hits = np.flatnonzero(score == best[token])
    _, first = np.unique(token[hits], return_index=True)
    return candidates.words[hits[first]]


def _repeated(protocol: Protocol, release: Release, size: Size) -> Row:
    """Return what is found of tokens that are encoded several times, by Zipf's law."""
    prior, rng = protocol.tokens.prior, np.random.default_rng(2)
    rows = rng.choice(len(prior), min(_REPEATED, size.attacked), p=prior)
    found, together_ = {}, np.zeros((len(rows), len(prior)))
    for repeat in range(1, max(REPEATS) + 1):
        together_ += release.log_likelihoods(release.outputs(rows, rng))
        if repeat in REPEATS:
            found[str(repeat)] = float(((together_ + np.log(prior)).argmax(axis=1) == rows).mean())
    return found
