"""The certificate of a release: what is promised, on what terms, and what is not."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from nadp.calibration import balanced_guess, composed_mu, epsilon_of, noise_multiplier
from nadp.errors import InputError
from nadp.mechanisms.guarantee import Guarantee

_OWN_GRAPH = """\
The guarantee is about one word's vector replaced by that of a word it is joined to in the neighbour graph; it says \
nothing about words that are not joined.
It is conditional: graph, noise scales and grid are computed from the vectors, and it holds for somebody who knows \
them. The published numbers show them: each word's noise scale can be estimated, and the grid read off. So \
the graph of these vectors counts as disclosed.""".splitlines()
_PUBLIC_INPUTS = """\
The guarantee is about two tables with the same words that differ in one word's vector, as the statement says; it \
says nothing about other pairs of tables.
Graph, noise scales and grid come from public inputs only: they tell nothing of the vectors.""".splitlines()
_ALL = """\
It protects the vectors against someone who must not learn them. It does not hide which words there are: the table \
names them.
It does not protect the texts that the embedding was trained on.
Whoever has the table can decode texts that were encoded with it. To hide the words of a text, encode the text with \
fresh noise for each word.
Two releases of the same vectors give away more than one: see composition.""".splitlines()


@dataclass(frozen=True)
class Composition:
    """What this and earlier releases of the same vectors promise together.

    Attributes:
        releases: how many, this one included.
        mu: of all together.
        epsilon: of all together, at this release's delta.
        note: what the figure does not cover.
    """

    releases: int
    mu: float
    epsilon: float
    note: str


@dataclass(frozen=True)
class Certificate:
    """What is said of a release. It holds no noise and no seed; there is none.

    Attributes:
        guarantee: what holds, the sampler's deviation included.
        neighbouring: the parameters that say which words are neighbours.
        composition: with earlier releases.
        sampler: where the noise came from, and how far it may be from normal.
        versions: of the software.
        hashes: of what was published; of the original only with a secret salt, or where it is public.
        measured: noise and attacks; what depends on private vectors is left out, since it leaks.
    """

    guarantee: Guarantee
    neighbouring: dict[str, Any]
    composition: Composition
    sampler: dict[str, Any]
    versions: dict[str, str]
    hashes: dict[str, str] = field(default_factory=dict)
    measured: dict[str, Any] = field(default_factory=dict)

    @property
    def statement(self) -> str:
        """The guarantee in words; its first word says if it is conditional."""
        return ("conditional: " if self.guarantee.conditional else "") + self.guarantee.statement

    @property
    def noise_multiplier(self) -> float:
        """Standard deviation per unit of sensitivity, at least."""
        return noise_multiplier(self.guarantee.epsilon, self.guarantee.delta)

    @property
    def mu(self) -> float:
        """Of Gaussian differential privacy, at most."""
        if self.guarantee.mu is None:
            raise InputError(f"{self.guarantee.mechanism} noise is not Gaussian")
        return self.guarantee.mu

    @property
    def not_covered(self) -> list[str]:
        """What the guarantee leaves open, in sentences."""
        return [*(_OWN_GRAPH if self.guarantee.conditional else _PUBLIC_INPUTS), *_ALL]

    def to_json(self) -> str:
        """Return the certificate as JSON."""
        known = self.guarantee
        flat = {"mechanism": known.mechanism, "epsilon": known.epsilon, "delta": known.delta}
        flat |= {"delta_reached": known.reached, "noise_multiplier": self.noise_multiplier, "mu": known.mu}
        flat |= {"share_of_words_without_a_guarantee": known.unprotected}
        record = {"statement": self.statement, **flat, **asdict(self), "not_covered": self.not_covered}
        return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_markdown(self) -> str:
        """Return the certificate as a page to read."""
        together = self.composition
        noise = (
            f"- Mechanism: {self.guarantee.mechanism}; noise of at least {self.noise_multiplier:.6g} times the "
            f"sensitivity; mu = {self.mu:.4f}: one of two neighbouring words is guessed rightly in at most "
            f"{balanced_guess(self.mu):.1%} of the cases."
        )
        all_releases = (
            f"- With the earlier releases of the same vectors ({together.releases} in all): epsilon "
            f"{together.epsilon:.4g} at the same delta (mu = {together.mu:.4f}). {together.note}"
        )
        lines = [
            "# Certificate of a private embedding",
            f"**{self.statement}.**",
            noise,
            all_releases,
            f"- Neighbouring: {_listed(self.neighbouring)}.",
            f"- Noise: {_listed(self.sampler)}.",
            f"- Versions: {_listed(self.versions)}.",
            *([f"- Hashes: {_listed(self.hashes)}."] if self.hashes else []),
            "## What is not covered",
            *(f"- {limit}" for limit in self.not_covered),
        ]
        if self.measured:
            lines += ["## Measured", *_rows(self.measured)]
        return _spaced(lines)


def composition(mus: list[float], delta: float, note: str) -> Composition:
    """Return what several releases promise together, the last one being this.

    Args:
        mus: of each release.
        delta: at which the epsilon of all is given.
        note: what the figure does not cover.
    """
    mu = composed_mu(mus)
    return Composition(len(mus), mu, epsilon_of(mu, delta), note)


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items())


def _rows(values: dict[str, Any]) -> list[str]:
    return [f"- {name.replace('_', ' ')}: {value}" for name, value in values.items()]


def _spaced(lines: list[str]) -> str:
    """Return lines with an empty one between, but not within a list."""
    text = ""
    for before, line in zip(["", *lines], lines, strict=False):
        text += ("\n" if before.startswith("- ") and line.startswith("- ") else "\n\n") + line
    return text.lstrip() + "\n"
