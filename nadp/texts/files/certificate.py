"""The certificate of encoded texts: what is promised, on what terms, and what is not. It depends on no text."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nadp.mechanisms import Guarantee
from nadp.texts import TextEncoder, token_recovery
from nadp.texts.files.encoding import EncodingTerms

_NOT_COVERED = """\
The promise is about one token replaced by a word that its word is joined to; it says nothing about words that are not \
joined.
It does not hide how many tokens a text has, nor their order, nor how many texts there are, nor their ids. With a \
length all texts have as many tokens, but an attacker tells words that were filled in from others the better, the \
larger epsilon is.
A word that comes again in a text gets fresh noise each time: all of it together costs more than one token.
Tokens that the embedding does not know are left out or replaced; nothing is promised for how many these are.
For each token after the first the sampler's own deviation, less than a thousandth in epsilon, comes on top.
The vectors, the amount of noise of each word and how frequent words are count as public.
Encoding the same texts again, into whatever output, gives away more.""".splitlines()
_TOKENS = (1, 2, 5, 10, 20, 50, 100)
_ATTACKED = 300


@dataclass(frozen=True)
class Certificate:
    """What is said of encoded texts.

    Attributes:
        guarantee: for one token.
        of_tokens: epsilon and delta if so many tokens of a text may change at once, by their number.
        recovery: what attackers got of tokens of the vocabulary, in a draw of their own.
        terms: what became of each text.
        neighbouring: the parameters that say which words are neighbours.
        encoder: fingerprint of all that is public about the noise.
        versions: of the software.
    """

    guarantee: Guarantee
    of_tokens: dict[int, tuple[float, float]]
    recovery: list[dict[str, Any]]
    terms: dict[str, Any]
    neighbouring: dict[str, Any]
    encoder: str
    versions: dict[str, str]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        record = {"statement": self.guarantee.statement, **asdict(self), "not_covered": _NOT_COVERED}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a page to read."""
        lines = [
            "# Certificate of encoded texts",
            f"**{self.guarantee.statement}.**",
            "If several tokens of a text may change at once (all of them, or a word that comes again), they cost:",
            _table(["tokens", "epsilon"], [[str(n), f"{epsilon:.4g}"] for n, (epsilon, _) in self.of_tokens.items()]),
            f"Each text: {_listed(self.terms)}.",
            "## What attackers get",
            f"{_ATTACKED} tokens drawn by Zipf's law of the words' order, encoded for the purpose (95 % intervals):",
            _table(["attack", "recovered"], [[one["attack"], _share(one)] for one in self.recovery]),
            f"Neighbouring: {_listed(self.neighbouring) or 'any two words'}.",
            f"Encoder: {self.encoder}. Versions: {_listed(self.versions)}.",
            "## What is not covered",
            "\n".join(f"- {limit}" for limit in _NOT_COVERED),
        ]
        return "\n\n".join(lines) + "\n"


def certificate_of(encoder: TextEncoder, terms: EncodingTerms) -> Certificate:
    """Return the certificate of texts that go through an encoder."""
    record = encoder.record
    graph, versions = record.get("neighbouring", {}), record.get("versions", {})
    zipf = 1 / np.arange(1, len(encoder) + 1)
    rows = np.random.default_rng().choice(len(encoder), _ATTACKED, p=zipf / zipf.sum())
    recovery = [asdict(one) for one in token_recovery(encoder, rows, prior=zipf)]
    together = {count: encoder.guarantee.of_tokens(count) for count in _TOKENS}
    return Certificate(encoder.guarantee, together, recovery, asdict(terms), graph, encoder.fingerprint, versions)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *rows])


def _share(found: dict[str, Any]) -> str:
    return f"{found['recovered']:.1%} ({found['low']:.1%} to {found['high']:.1%})"


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
