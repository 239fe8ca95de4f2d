"""The certificate of encoded texts: guarantee, conditions and limits. It depends on no text."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from nadp.mechanisms import Guarantee
from nadp.texts import TextEncoder, token_recovery
from nadp.texts.files.encoding import EncodingTerms

_NOT_COVERED = """\
The guarantee covers one token replaced by a neighbouring word. It does not cover words that are not joined in the \
neighbour graph.
The number of texts, their ids, and the number and order of their tokens are not hidden. With a length, all texts have \
the same number of tokens, but an attacker can partly distinguish added words from real ones, and better so at a \
larger epsilon.
A repeated word of a text gets fresh noise each time, so together its occurrences cost more than one token.
Tokens that the embedding lacks are left out or replaced; the guarantee does not cover their number.
Each token after the first adds the sampler's own deviation, less than .001 in epsilon. If a budget adds noise, each \
token adds less than .002.
The vectors, the noise scale of each word, and the word frequencies count as public.
Encoding the same texts again, into any output, reveals more.""".splitlines()
_NOT_COVERED_BY_GROUPS = """\
The figures hold for independent words under the stated prior. An attacker who uses context, or knows the word \
frequencies better, recovers more.
The number of texts, their ids, and the number and order of their tokens are not hidden. With a length, all texts have \
the same number of tokens, filled with random words.
Tokens without a group are left out or replaced; their number is not hidden.
Embedding, partition and prior count as public. A second partition of the same words reveals far more than one.\
""".splitlines()
_NOT_COVERED_WITHOUT_EPSILON = """\
This is not differential privacy. It cannot be compared with an epsilon.
The group of a word is not hidden, nor what its words have in common: topic, sentiment, a sensitive attribute.
Words in different groups are not hidden from each other.""".splitlines()
_NOT_COVERED_BETWEEN_GROUPS = """\
Epsilon is per unit of distance between centroids. It cannot be compared with that of a mechanism of noise.
Groups far apart are not hidden from each other, nor what near groups have in common: topic, sentiment, a sensitive \
attribute.
A repeated word of a text gets fresh noise each time, so together its occurrences cost more than one token. Encoding \
the same texts again, into any output, reveals more.""".splitlines()
_OWN_TEXTS = "The prior was counted in the texts to be protected: for these texts there is NO guarantee."
_TOKENS = (1, 2, 5, 10, 20, 50, 100)
_ATTACKED = 300


@dataclass(frozen=True)
class EncodingCertificate:
    """The certificate of encoded texts.

    Attributes:
        guarantee: for one token.
        of_tokens: epsilon and delta if several tokens of a text may change at once, by the number of tokens.
        recovery: recovery by attacks on tokens of the vocabulary, in a separate draw.
        terms: treatment of each text.
        neighbouring: the parameters that define neighbouring words.
        encoder: fingerprint of the encoder.
        versions: versions of the software.
        groups: partition, bounds and, if words are listed, how surely their topic is revealed; empty for noise.
        assumed: the assumption behind the bound on the sampler's deviation; empty if there is no such bound.
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
        """Sentences on what the guarantee does not cover."""
        if not self.groups:
            return _NOT_COVERED
        own_texts_note = [_OWN_TEXTS] if self.groups.get("prior_of_own_texts") else []
        group = _NOT_COVERED_BETWEEN_GROUPS if self.guarantee.epsilon else _NOT_COVERED_WITHOUT_EPSILON
        return [*own_texts_note, *group, *_NOT_COVERED_BY_GROUPS]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        record = {"statement": self.guarantee.statement, **asdict(self), "not_covered": self.not_covered}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a Markdown page."""
        lines = [
            "# Certificate of encoded texts",
            f"**{self.guarantee.statement}.**",
            *self._of_several(),
            f"Each text: {_listed(self.terms)}.",
            "## What attackers recover",
            f"{_ATTACKED} tokens, drawn by Zipf's law and encoded for this purpose (95 % intervals):",
            _table(["attack", "recovered"], [[attack["attack"], _share(attack)] for attack in self.recovery]),
            *([] if self.groups else [f"Neighbouring: {_listed(self.neighbouring) or 'any two words'}."]),
            f"Encoder: {self.encoder}. Versions: {_listed(self.versions)}.",
            *([f"Assumed: {self.assumed}."] if self.assumed else []),
            "## What is not covered",
            "\n".join(f"- {limit}" for limit in self.not_covered),
        ]
        return "\n\n".join(lines) + "\n"

    def _of_several(self) -> list[str]:
        """Return paragraphs on how groups are made and what several tokens cost."""
        rows = [[str(n), f"{epsilon:.4g}"] for n, (epsilon, _) in self.of_tokens.items()]
        unit = " per unit of distance" if self.groups else ""
        cost = [
            f"If several tokens of a text may change at once (all, or a repeated word), their epsilon{unit} is:",
            _table(["tokens", "epsilon"], rows),
        ]
        return [*self._of_groups(), *(cost if rows else [])]

    def _of_groups(self) -> list[str]:
        """Return paragraphs on how groups are made and how surely they reveal topics."""
        if not self.groups:
            return []
        group_facts = {name: value for name, value in self.groups.items() if name != "topic_revealed"}
        repetition_note = (
            "" if self.guarantee.epsilon else " A word that is repeated, or a text encoded again, has equal output."
        )
        topics = [[word, f"{share:.1%}"] for word, share in self.groups.get("topic_revealed", {}).items()]
        topic_paragraphs = ["How surely the group reveals the topic:", _table(["word", "share"], topics)]
        return [f"Groups: {_listed(group_facts)}.{repetition_note}", *(topic_paragraphs if topics else [])]


def certificate_of(encoder: TextEncoder, terms: EncodingTerms) -> EncodingCertificate:
    """Return the certificate of texts that an encoder encodes."""
    record = encoder.record
    graph, versions = record.get("neighbouring", {}), record.get("versions", {})
    zipf = 1 / np.arange(1, len(encoder) + 1)
    rows = np.random.default_rng().choice(len(encoder), _ATTACKED, p=zipf / zipf.sum())
    recovery = [asdict(attack) for attack in token_recovery(encoder, rows, prior=zipf)]
    joint = {count: encoder.guarantee.of_tokens(count) for count in _TOKENS}
    bounded = not encoder.guarantee.unbounded
    groups = {name: value for name, value in record.items() if name != "versions"} if "partition" in record else {}
    return EncodingCertificate(
        encoder.guarantee,
        {} if groups and not encoder.guarantee.epsilon else joint,
        recovery,
        asdict(terms),
        graph,
        encoder.fingerprint,
        versions,
        groups,
        encoder.noise.assumed if bounded else "",
    )


def _table(heads: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *rows])


def _share(attack: dict[str, Any]) -> str:
    return f"{attack['recovered']:.1%} ({attack['low']:.1%} to {attack['high']:.1%})"


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
