"""The certificate of encoded texts: what is promised, on what terms, and what is not. It depends on no text."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from nadp.mechanisms import Guarantee
from nadp.noise import GridNoise
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
_NOT_COVERED_BY_GROUPS = """\
This is not differential privacy, and not comparable with an epsilon.
The group of a word is not hidden, nor what its words have in common: topic, sentiment, a sensitive attribute.
Nothing is hidden across groups, unless there is a mechanism between them.
The figures hold for independent words under the stated prior. Whoever uses the words around a token finds more, and \
so does whoever knows better how frequent words are.
It does not hide how many tokens a text has, nor their order, nor how many texts there are, nor their ids. With a \
length all texts have as many tokens, filled with words drawn at random.
Tokens that have no group are left out or replaced; nothing is hidden of how many these are.
Embedding, partition and prior count as public. A second partition of the same words gives away far more than one.\
""".splitlines()
_OWN_TEXTS = "The prior was counted in texts of one's own: for these very texts there is NO guarantee."
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
        groups: partition, bounds and, where words are listed, how surely their topic is revealed; empty for noise.
        assumed: what the bound on the sampler's deviation rests on; empty where there is no such bound.
    """

    guarantee: Guarantee
    of_tokens: dict[int, tuple[float, float]]
    recovery: list[dict[str, Any]]
    terms: dict[str, Any]
    neighbouring: dict[str, Any]
    encoder: str
    versions: dict[str, str]
    groups: dict[str, Any] = field(default_factory=dict)
    assumed: str = ""

    @property
    def not_covered(self) -> list[str]:
        """What the guarantee leaves open, in sentences."""
        if not self.groups:
            return _NOT_COVERED
        return [*([_OWN_TEXTS] if self.groups.get("prior_of_own_texts") else []), *_NOT_COVERED_BY_GROUPS]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        record = {"statement": self.guarantee.statement, **asdict(self), "not_covered": self.not_covered}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a page to read."""
        lines = [
            "# Certificate of encoded texts",
            f"**{self.guarantee.statement}.**",
            *self._of_several(),
            f"Each text: {_listed(self.terms)}.",
            "## What attackers get",
            f"{_ATTACKED} tokens drawn by Zipf's law of the words' order, encoded for the purpose (95 % intervals):",
            _table(["attack", "recovered"], [[one["attack"], _share(one)] for one in self.recovery]),
            *([] if self.groups else [f"Neighbouring: {_listed(self.neighbouring) or 'any two words'}."]),
            f"Encoder: {self.encoder}. Versions: {_listed(self.versions)}.",
            *([f"Assumed: {self.assumed}."] if self.assumed else []),
            "## What is not covered",
            "\n".join(f"- {limit}" for limit in self.not_covered),
        ]
        return "\n\n".join(lines) + "\n"

    def _of_several(self) -> list[str]:
        """Return what several tokens cost, or how groups are made, as paragraphs."""
        if self.groups:
            plain = {name: value for name, value in self.groups.items() if name != "topic_revealed"}
            listed = self.groups.get("topic_revealed", {})
            said = [
                f"Groups: {_listed(plain)}. A word that is repeated, or a text encoded again, gives the same output."
            ]
            rows = [[word, f"{share:.1%}"] for word, share in listed.items()]
            return said + (["How surely the group reveals the topic:", _table(["word", "share"], rows)] if rows else [])
        rows = [[str(n), f"{epsilon:.4g}"] for n, (epsilon, _) in self.of_tokens.items()]
        return [
            "If several tokens of a text may change at once (all of them, or a word that comes again), they cost:",
            _table(["tokens", "epsilon"], rows),
        ]


def certificate_of(encoder: TextEncoder, terms: EncodingTerms) -> Certificate:
    """Return the certificate of texts that go through an encoder."""
    record = encoder.record
    graph, versions = record.get("neighbouring", {}), record.get("versions", {})
    zipf = 1 / np.arange(1, len(encoder) + 1)
    rows = np.random.default_rng().choice(len(encoder), _ATTACKED, p=zipf / zipf.sum())
    recovery = [asdict(one) for one in token_recovery(encoder, rows, prior=zipf)]
    together = {count: encoder.guarantee.of_tokens(count) for count in _TOKENS}
    bounded = not encoder.guarantee.unbounded
    groups = {name: value for name, value in record.items() if name != "versions"} if "partition" in record else {}
    return Certificate(
        encoder.guarantee,
        {} if groups else together,
        recovery,
        asdict(terms),
        graph,
        encoder.fingerprint,
        versions,
        groups,
        encoder.noise.law.assumed if bounded and isinstance(encoder.noise, GridNoise) else "",
    )


def _table(heads: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *rows])


def _share(found: dict[str, Any]) -> str:
    return f"{found['recovered']:.1%} ({found['low']:.1%} to {found['high']:.1%})"


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
