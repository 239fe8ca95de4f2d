"""Noise: one law per file, the samplers, and the grid of published numbers."""

from nadp.errors import InputError
from nadp.noise.gaussian import GaussianNoise
from nadp.noise.grid import GridNoise
from nadp.noise.laplace import LaplaceNoise
from nadp.noise.law import NoiseLaw, NoiseSizes
from nadp.noise.mahalanobis import MahalanobisNoise
from nadp.noise.research import base_draw, research_rng

LAWS: dict[str, type[NoiseLaw]] = {law.name: law for law in (GaussianNoise, LaplaceNoise, MahalanobisNoise)}


def law_named(key: str) -> NoiseLaw:
    """Return the law of a key: a name in LAWS, with its parameter if it is not the default.

    Raises:
        InputError: if there is no such law.
    """
    name, _, parameter = key.removesuffix(")").partition("(")
    if name not in LAWS:
        raise InputError(f"no noise law {key!r}: choose from {', '.join(LAWS)}")
    return LAWS[name](*([float(parameter)] if parameter else []))


__all__ = [
    "LAWS",
    "GaussianNoise",
    "GridNoise",
    "LaplaceNoise",
    "MahalanobisNoise",
    "NoiseLaw",
    "NoiseSizes",
    "base_draw",
    "law_named",
    "research_rng",
]
