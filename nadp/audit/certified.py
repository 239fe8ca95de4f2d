"""The statements of a certificate about a released file: guarantee, graph, word set, and the hash of the file."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nadp.audit.verdicts import Verdict
from nadp.errors import FormatError, InputError
from nadp.files.records import read_json
from nadp.mechanisms import Between, Guarantee, claimed

_NUMBERS: dict[str, Callable[[Any], float]] = {"clip": float, "sensitivity": float, "public_words": int}


@dataclass(frozen=True)
class Certified:
    """The part of a certificate that an audit uses.

    Attributes:
        guarantee: the claimed guarantee.
        neighbouring: the parameters of the graph that the certificate names.
        words: the release holds this many of the original's first words; None if not stated.
        sha256: SHA-256 of the certified file; None if not stated.
        graph_sha256: SHA-256 of the owner's file that holds the graph; None if no graph was kept.
    """

    guarantee: Guarantee
    neighbouring: dict[str, Any]
    words: int | None
    sha256: str | None
    graph_sha256: str | None = None


def read_certificate(path: str | Path) -> Certified:
    """Return the content of a certificate: a JSON file with mechanism, epsilon and delta.

    Raises:
        InputError: if there is no such file.
        FormatError: if the file is not a certificate.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"no certificate {str(path)!r}")
    try:
        content = read_json(file)
        guarantee = claimed(str(content["mechanism"]), float(content["epsilon"]), float(content["delta"]))
        graph, hashes = dict(content.get("neighbouring", {})), dict(content.get("hashes", {}))
        words, sha256 = graph.pop("words", None), hashes.get("released_sha256")
        for name, number in _NUMBERS.items():
            if name in graph:
                graph[name] = number(graph[name])
        guarantee = replace(guarantee, between=_between(graph), constant=graph.get("clip", graph.get("sensitivity")))
        return Certified(guarantee, graph, None if words is None else int(words), sha256, hashes.get("graph_sha256"))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise FormatError(f"{path} is not a certificate with mechanism, epsilon and delta: {error}") from error


def _between(neighbouring: dict[str, Any]) -> Between:
    """Return the kind of neighbours that a guarantee covers, from the parameters that the certificate names."""
    kinds: dict[str, Between] = {
        "public_embedding": "public graph",
        "clip": "any vectors",
        "sensitivity": "public sensitivity",
    }
    return next((kind for name, kind in kinds.items() if name in neighbouring), "own graph")


def file_is_the_certified_one(certified: Certified, sha256: str) -> Verdict | None:
    """Return whether a released file is the one that the certificate describes; None if the certificate has no hash.

    Args:
        certified: content of the certificate.
        sha256: SHA-256 of the audited file.
    """
    if certified.sha256 is None:
        return None
    matches = certified.sha256 == sha256
    message = (
        "SHA-256 as certified" if matches else f"SHA-256 {sha256}, but the certificate describes {certified.sha256}"
    )
    return Verdict("the file matches its certificate", matches, float(matches), 1.0, message)
