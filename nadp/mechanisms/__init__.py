"""The mechanisms, one per file; each is a small value with its parameters."""

import re

from nadp.errors import InputError, RefusedError, one_of
from nadp.mechanisms.base import Additive, FixedTable, Mechanism, perturbed
from nadp.mechanisms.gaussian import Gaussian, GaussianClassical
from nadp.mechanisms.groups import Groups, GroupsByShare
from nadp.mechanisms.guarantee import Between, Guarantee, Kind
from nadp.mechanisms.jaccard import Jaccard, JaccardReference
from nadp.mechanisms.laplacian import Laplacian, LaplacianReference
from nadp.mechanisms.mahalanobis import Mahalanobis
from nadp.mechanisms.nadp import Nadp
from nadp.mechanisms.publication import Publication

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
        Groups,
        GroupsByShare,
    )
}
_TEXT = re.compile(r"([\w-]+)(?:\((.*)\))?")


def named(text: str) -> Mechanism:
    """Return the mechanism of a text as written by str(): a name in MECHANISMS, with non-default parameters.

    Raises:
        InputError: if there is no such mechanism, or it has no such parameter.
    """
    match = _TEXT.fullmatch(text)
    if match is None or match[1] not in MECHANISMS:
        raise InputError(f"mechanism {one_of(text, MECHANISMS)}")
    pairs = [pair.partition("=") for pair in (match[2] or "").split(",") if pair.strip()]
    return MECHANISMS[match[1]].of({name.strip(): value.strip() for name, _, value in pairs})


def additive(text: str) -> Additive:
    """Return the mechanism of a text, if it adds noise.

    Raises:
        InputError: if it adds no noise, or does not exist.
    """
    mechanism = named(text)
    if not isinstance(mechanism, Additive):
        raise InputError(f"{mechanism} adds no noise: choose a mechanism that does")
    return mechanism


def claimed(mechanism: str, epsilon: float, delta: float) -> Guarantee:
    """Return the claimed guarantee of a mechanism's text, epsilon and delta; nothing is checked.

    Raises:
        InputError: if there is no such mechanism, or it adds no noise.
    """
    parsed = additive(mechanism)
    return Guarantee(str(parsed), parsed.kind, epsilon, delta)


__all__ = [
    "MECHANISMS",
    "Additive",
    "Between",
    "FixedTable",
    "Gaussian",
    "GaussianClassical",
    "Groups",
    "GroupsByShare",
    "Guarantee",
    "Jaccard",
    "JaccardReference",
    "Kind",
    "Laplacian",
    "LaplacianReference",
    "Mahalanobis",
    "Mechanism",
    "Nadp",
    "Publication",
    "RefusedError",
    "additive",
    "claimed",
    "named",
    "perturbed",
]
