"""The certificate of encoded texts: what is promised, on what terms, and what is not. It depends on no text."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from nadp.encoding import TextEncoder
from nadp.texts.encoding import Terms

_NOT_COVERED = """\
The promise is about one token replaced by a word that its word is joined to; it says nothing about words that are not \
joined.
It does not hide how many tokens a text has, unless a length is given, nor how many texts there are, nor their ids.
A word that comes again in a text gets fresh noise each time: all of it together costs more than one token.
Tokens that the embedding does not know are left out or replaced; nothing is promised for how many these are.
Encoding the same texts again, into whatever output, gives away more.""".splitlines()


@dataclass(frozen=True)
class Certificate:
    """What is said of encoded texts.

    Attributes:
        promise: for one token, and how it adds up.
        terms: what became of each text.
        neighbouring: the parameters that say which words are neighbours.
        encoder: fingerprint of all that is public about the noise.
        versions: of the software.
    """

    promise: dict[str, Any]
    terms: dict[str, Any]
    neighbouring: dict[str, Any]
    encoder: str
    versions: dict[str, str]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        record = {"statement": self.promise["statement"], **asdict(self), "not_covered": _NOT_COVERED}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a page to read."""
        lines = [
            "# Certificate of encoded texts",
            f"**{self.promise['statement']}.**",
            f"Each text: {_listed(self.terms)}.",
            f"Neighbouring: {_listed(self.neighbouring) or 'any two words'}.",
            f"Encoder: {self.encoder}. Versions: {_listed(self.versions)}.",
            "## What is not covered",
            "\n".join(f"- {limit}" for limit in _NOT_COVERED),
        ]
        return "\n\n".join(lines) + "\n"


def certificate_of(encoder: TextEncoder, terms: Terms) -> Certificate:
    """Return the certificate of texts that go through an encoder."""
    record = encoder.record
    graph, versions = record.get("neighbouring", {}), record.get("versions", {})
    return Certificate(asdict(encoder.promise), asdict(terms), graph, encoder.fingerprint, versions)


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())
