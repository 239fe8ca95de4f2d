"""Peers that replace tokens by words, and groups, under one attack: the accuracy on MR at the same recovery of tokens.

The attacker applies Bayes' rule with frequencies of their own: they send other texts of the domain through the same
mechanism, and answer each output with the word that most often led to it; an output they never saw is taken as it is.
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.groups.compared import Keep, Row, grouped
from benchmarks.groups.protocol import Protocol
from nadp.embeddings import Floats, Ids
from nadp.files import write_embeddings
from nadp.groups import Bounds

_SCRIPTS = Path(__file__).parents[1] / "peers"


@dataclass(frozen=True)
class Peer:
    """A package, and the settings at which it is run.

    Attributes:
        script: which runs it, in its own Python.
        layout: of the file of vectors it reads.
        mechanisms: by its own names, with values of epsilon that reach from little to much recovery.
        texts: how many texts are sent through it, and how many by the attacker.
    """

    script: str
    layout: str
    mechanisms: Mapping[str, tuple[float, ...]]
    texts: int


_DISTANCES = (7.0, 9.0, 11.0)
PEERS = {
    "dp-diffractor": Peer(
        "diffractor_words.py",
        "word2vec",
        {"geometric": (0.03, 0.1, 0.2, 0.4), "TEM": (3.0, 3.5, 4.0, 5.0)},
        5_000,
    ),
    "mldp-text": Peer(
        "mldp_text_words.py",
        "word2vec",
        {"multivariate_calibrated": _DISTANCES, "mahalanobis": _DISTANCES},
        5_000,
    ),
    "pypantera": Peer("pypantera_words.py", "glove", {"multivariate_calibrated": _DISTANCES}, 1_500),
}


def words_for_words(protocol: Protocol, pythons: Mapping[str, Path], keep: Keep) -> None:
    """Score each peer that has a Python, and groups on as many texts.

    Args:
        protocol: embedding and texts.
        pythons: by package, each with that package.
        keep: keeps the rows.
    """
    for name, python in pythons.items():
        peer = PEERS[name]
        texts = min(peer.texts, len(protocol.labels))
        for share in (0.3, 0.2):
            keep(f"peers/groups b={share}/{texts}", partial(_groups, protocol, share, texts))
        for mechanism, epsilons in peer.mechanisms.items():
            for epsilon in epsilons:
                key = f"peers/{name} {mechanism}/{epsilon:g}"
                keep(key, partial(_peer, protocol, python, peer, mechanism, epsilon))


def _groups(protocol: Protocol, share: float, texts: int) -> Row:
    groups = grouped(protocol, Bounds(max_share=share), uniform=False)
    sent, learnt = _sent(protocol, texts), _learnt(protocol, texts)
    found = groups.labels.astype(np.int64)
    frequent = np.zeros(len(groups), dtype=np.int64)
    frequent[found[::-1]] = np.arange(len(found))[::-1]  # the first word of each group is its most frequent one
    return _row(protocol, texts, (sent, found[sent]), (learnt, found[learnt]), frequent, groups.centroids)


def _peer(protocol: Protocol, python: Path, peer: Peer, mechanism: str, epsilon: float) -> Row:
    texts = min(peer.texts, len(protocol.labels))
    sent, learnt = _sent(protocol, texts), _learnt(protocol, texts)
    words = protocol.embeddings.words
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "words.txt").write_text("\n".join(words[np.concatenate([sent, learnt])].tolist()), encoding="utf-8")
        write_embeddings(place / "vectors.txt", protocol.embeddings, peer.layout)
        command = [python.absolute(), _SCRIPTS / peer.script, place / "vectors.txt", place / "words.txt"]
        done = subprocess.run(  # noqa: S603 - the packages that were asked for
            [*map(str, command), mechanism, str(epsilon)], capture_output=True, text=True, check=True
        )
    said = json.loads(done.stdout.splitlines()[-1])
    outputs = protocol.embeddings.rows(said["words"])
    itself, spent = np.arange(len(words)), 1e6 * said["seconds"]["cpu"] / len(outputs)
    given = (sent, outputs[: len(sent)]), (learnt, outputs[len(sent) :])
    return _row(protocol, texts, *given, itself, protocol.vectors) | {"cpu_us_a_token": spent}


def _row(  # noqa: PLR0913, PLR0917 - the two sides of an attack
    protocol: Protocol, texts: int, sent: tuple[Ids, Ids], learnt: tuple[Ids, Ids], otherwise: Ids, table: Floats
) -> Row:
    """Return recovery, and the accuracy of the released vectors, from pairs of word and output."""
    guesses = otherwise.copy()
    pairs, counts = np.unique(np.stack(learnt[::-1]), axis=1, return_counts=True)
    for at in np.lexsort([-pairs[1], counts]):  # the most frequent word of each output comes last
        guesses[pairs[0, at]] = pairs[1, at]
    return {
        "texts": texts,
        "tokens": len(sent[0]),
        "recovery": float((guesses[sent[1]] == sent[0]).mean()),
        "unchanged": float((sent[1] == sent[0]).mean()) if len(table) == len(protocol.space) else None,
        "mr": protocol.sentiment(table[sent[1]], texts),
    }


def _sent(protocol: Protocol, texts: int) -> Ids:
    rows, starts = protocol.tested
    return rows[: starts[texts]]


def _learnt(protocol: Protocol, texts: int) -> Ids:
    return np.concatenate(protocol.domain[:texts])
