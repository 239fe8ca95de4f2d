"""An original and a release of it, with all that the audits compute from them once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nadp.audit.decoding import nearest_points
from nadp.audit.exposure import without_noise
from nadp.audit.overlap import overlaps
from nadp.embeddings import Embeddings, Floats, Ids
from nadp.errors import InputError
from nadp.mechanisms import MECHANISMS, NoiseFamily
from nadp.space import EmbeddingSpace


@dataclass(frozen=True)
class Claim:
    """What is said of a release: with the original's graph, enough to compute the scale of each word's noise."""

    mechanism: str
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if self.mechanism not in MECHANISMS:
            raise InputError(f"no mechanism {self.mechanism!r}: choose from {', '.join(MECHANISMS)}")

    @property
    def family(self) -> NoiseFamily:
        """The law of the noise."""
        return MECHANISMS[self.mechanism].noise


@dataclass(frozen=True, eq=False)
class Pair:
    """A space of n words and what was released for them.

    Attributes:
        space: the original; all its words were released.
        noisy: (n, d) the released vectors.
        claim: what is said of them, if anything.
        missing: number of words of the original that the release lacks, and that the space therefore lacks.
        extra: number of words of the release that the original lacks.
    """

    space: EmbeddingSpace
    noisy: Floats
    claim: Claim | None = None
    missing: int = 0
    extra: int = 0

    @property
    def truth(self) -> Ids:
        """(n,) the right point of each word."""
        return self.space.embeddings.points.of_word

    @cached_property
    def noise(self) -> npt.NDArray[np.float64]:
        """(n, d) released less original vectors."""
        return self.noisy.astype(np.float64) - self.space.vectors

    @cached_property
    def claimed_scale(self) -> npt.NDArray[np.float64] | None:
        """(n,) the scale of each word's noise by the claim."""
        claim = self.claim
        if claim is None:
            return None
        return MECHANISMS[claim.mechanism]().noise_scale(self.space, claim.epsilon, claim.delta)

    @cached_property
    def scale(self) -> npt.NDArray[np.float64]:
        """(n,) the scale of each word's noise, estimated from its component where nothing is claimed."""
        if self.claimed_scale is not None:
            return self.claimed_scale
        labels = self.space.labels
        squared = np.bincount(labels, weights=(self.noise**2).mean(axis=1)) / np.bincount(labels).clip(min=1)
        return np.sqrt(squared)[labels]

    @cached_property
    def exposed(self) -> npt.NDArray[np.bool_]:
        """(n,) words that were released as they are."""
        return without_noise(self.space.vectors, self.noisy)

    @cached_property
    def nearest(self) -> npt.NDArray[np.int32]:
        """(n, k) the points nearest to each released vector."""
        return nearest_points(self.space.embeddings.points.vectors, self.noisy, self.space.neighbours.n_neighbours)

    @cached_property
    def overlap(self) -> npt.NDArray[np.float64]:
        """(n,) the paper's p_i."""
        return overlaps(self.space.neighbours.indices[self.truth], self.nearest)


def paired(space: EmbeddingSpace, released: Embeddings, claim: Claim | None = None) -> Pair:
    """Return the pair of a space and a release, words matched by name.

    The words that the release lacks are taken out of the space, whose graph is then built again without them.

    Raises:
        InputError: if the two have no word in common, or other dimensions.
    """
    if released.dimension != space.embeddings.dimension:
        raise InputError(f"the release has {released.dimension} dimensions, the original {space.embeddings.dimension}")
    rows = np.array([released.row_of.get(word, -1) for word in space.embeddings.words.tolist()])
    have = np.flatnonzero(rows >= 0)
    if not len(have):
        raise InputError("the release and the original have no word in common")
    missing, extra = len(space) - len(have), len(released) - len(have)
    if missing:
        graph, policy = space.neighbourhoods.graph, space.neighbourhoods.isolated
        space = EmbeddingSpace.build(
            space.embeddings.subset(have),
            tau=graph.tau,
            isolated=policy,
            adjacency=graph.adjacency,
            n_neighbours=graph.n_neighbours,
        )
    return Pair(space, released.vectors[rows[have]], claim, missing, extra)
