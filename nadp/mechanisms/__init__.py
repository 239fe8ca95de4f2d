"""The mechanisms that are compared, one a file."""

from nadp.mechanisms.base import Guarantee, Mechanism, perturbed
from nadp.mechanisms.gaussian import Gaussian, GaussianClassical
from nadp.mechanisms.jaccard import Jaccard, JaccardReference
from nadp.mechanisms.laplacian import Laplacian, LaplacianReference
from nadp.mechanisms.mahalanobis import Mahalanobis
from nadp.mechanisms.nadp import Nadp
from nadp.noise.research import NoiseFamily, base_draw, mean_square, research_rng

MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.name: mechanism
    for mechanism in (
        Nadp,
        Gaussian,
        GaussianClassical,
        Laplacian,
        LaplacianReference,
        Mahalanobis,
        Jaccard,
        JaccardReference,
    )
}

__all__ = [
    "MECHANISMS",
    "Gaussian",
    "GaussianClassical",
    "Guarantee",
    "Jaccard",
    "JaccardReference",
    "Laplacian",
    "LaplacianReference",
    "Mahalanobis",
    "Mechanism",
    "Nadp",
    "NoiseFamily",
    "base_draw",
    "mean_square",
    "perturbed",
    "research_rng",
]
