"""The certificate of a release: its guarantee, conditions and limits."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from nadp.calibration import composed_mu, distinguishing_accuracy, epsilon_of, noise_multiplier
from nadp.errors import InputError
from nadp.mechanisms.guarantee import Guarantee

_OWN_GRAPH = """\
The guarantee covers one word's vector replaced by that of a neighbouring word. It does not cover words that are not \
joined in the neighbour graph.
It is conditional. Graph, noise scales and grid are computed from the vectors, and the guarantee holds only if they \
count as known. The published numbers reveal them: each word's noise scale can be estimated, and the grid read off. \
So the graph of these vectors counts as disclosed.""".splitlines()
_PUBLIC_INPUTS = """\
The guarantee covers two tables with the same words that differ in one word's vector, as stated above. It does not \
cover other pairs of tables.
Graph, noise scales and grid come from public inputs only, so they reveal nothing about the vectors.""".splitlines()
_ALL = """\
It protects the vectors. It does not hide the vocabulary: the table names its words.
It does not protect the texts that the embedding was trained on.
Anyone with the table can decode texts that were encoded with it. To hide the words of a text, encode the text with \
fresh noise for each word.
Two releases of the same vectors reveal more than one: see the composed epsilon.""".splitlines()


@dataclass(frozen=True)
class Composition:
    """The joint guarantee of this and earlier releases of the same vectors.

    Attributes:
        releases: number of releases, including this one.
        mu: mu of all releases together.
        epsilon: epsilon of all releases together, at this release's delta.
        note: what the figure does not cover.
    """

    releases: int
    mu: float
    epsilon: float
    note: str


@dataclass(frozen=True)
class Certificate:
    """The certificate of a release. It holds no noise, and there is no seed to hold.

    Attributes:
        guarantee: the guarantee, which includes the sampler's deviation.
        neighbouring: the parameters that define neighbouring words.
        composition: the joint guarantee with earlier releases.
        sampler: source of the noise, and its largest deviation from the normal law.
        versions: versions of the software.
        hashes: hashes of the published files; the original's hash is salted with a secret, unless the original is
            public.
        measured: figures on noise and attacks, without those that depend on private vectors and would reveal them.
        written: type of the published numbers.
        in_clear: the parts of a model that are published unchanged.
    """

    guarantee: Guarantee
    neighbouring: dict[str, Any]
    composition: Composition
    sampler: dict[str, Any]
    versions: dict[str, str]
    hashes: dict[str, str] = field(default_factory=dict)
    measured: dict[str, Any] = field(default_factory=dict)
    written: str = "float32"
    in_clear: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The guarantee in words; its first word says whether it is conditional."""
        return ("conditional: " if self.guarantee.conditional else "") + self.guarantee.statement

    @property
    def noise_multiplier(self) -> float:
        """A lower bound on the noise's standard deviation per unit of sensitivity."""
        return noise_multiplier(self.guarantee.epsilon, self.guarantee.delta)

    @property
    def mu(self) -> float:
        """An upper bound on mu of Gaussian differential privacy."""
        if self.guarantee.mu is None:
            raise InputError(f"{self.guarantee.mechanism} noise is not Gaussian")
        return self.guarantee.mu

    @property
    def not_covered(self) -> list[str]:
        """Sentences on what the guarantee does not cover."""
        sentences = [*(_OWN_GRAPH if self.guarantee.conditional else _PUBLIC_INPUTS), *_ALL]
        if self.in_clear:
            sentences.append(
                f"These are published unchanged: {', '.join(self.in_clear)}. What they reveal about the data that the "
                "model was made from is not protected."
            )
        return sentences

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        known = self.guarantee
        flat = {"mechanism": known.mechanism, "epsilon": known.epsilon, "delta": known.delta}
        flat |= {"delta_reached": known.reached, "noise_multiplier": self.noise_multiplier, "mu": known.mu}
        flat |= {"share_of_words_without_a_guarantee": known.unprotected}
        record = {"statement": self.statement, **flat, **asdict(self), "not_covered": self.not_covered}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a Markdown page."""
        composition = self.composition
        noise = (
            f"- Mechanism: {self.guarantee.mechanism}; noise of at least {self.noise_multiplier:.6g} times the "
            f"sensitivity; mu = {self.mu:.4f}; optimal distinguishing accuracy between two neighbouring words "
            f"{distinguishing_accuracy(self.mu):.1%}."
        )
        all_releases = (
            f"- With the earlier releases of the same vectors ({composition.releases} in all): epsilon "
            f"{composition.epsilon:.4g} at the same delta (mu = {composition.mu:.4f}). {composition.note}"
        )
        lines = [
            "# Certificate of a private embedding",
            f"**{self.statement}.**",
            noise,
            all_releases,
            f"- Neighbouring: {_listed(self.neighbouring)}.",
            f"- Noise: {_listed(self.sampler)}.",
            f"- Versions: {_listed(self.versions)}.",
            f"- Written as {self.written}.",
            *([f"- Hashes: {_listed(self.hashes)}."] if self.hashes else []),
            "## What is not covered",
            *(f"- {limit}" for limit in self.not_covered),
        ]
        if self.measured:
            lines += ["## Measured", *_rows(self.measured)]
        return _spaced(lines)


def composition(mus: list[float], delta: float, note: str) -> Composition:
    """Return the joint guarantee of several releases, of which the current one is last.

    Args:
        mus: mu of each release.
        delta: delta at which their joint epsilon is stated.
        note: what the figure does not cover.
    """
    mu = composed_mu(mus)
    return Composition(len(mus), mu, epsilon_of(mu, delta), note)


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())


def _rows(values: dict[str, Any]) -> list[str]:
    return [f"- {name.replace('_', ' ')}: {value}" for name, value in values.items()]


def _spaced(lines: list[str]) -> str:
    """Return lines with blank lines between paragraphs, but not within a list."""
    text = ""
    for previous, line in zip(["", *lines], lines, strict=False):
        text += ("\n" if previous.startswith("- ") and line.startswith("- ") else "\n\n") + line
    return text.lstrip() + "\n"
