"""An original and its release, with the values that several checks share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nadp.attacks.exposure import without_noise
from nadp.attacks.overlap import overlaps
from nadp.attacks.recovery import TOP
from nadp.audit.distribution import kinds_of_words
from nadp.audit.exact import ExactFiles, ExactSample, exact_sample
from nadp.embeddings import Embeddings, Floats, Ids, Words
from nadp.errors import InputError
from nadp.mechanisms import Additive, Guarantee, additive
from nadp.noise import GaussianNoise, NoiseLaw
from nadp.search.decoding import nearest_points
from nadp.space import EmbeddingSpace


@dataclass(frozen=True, eq=False)
class Pair:
    """A space of n words and the released vectors of m of them.

    Attributes:
        space: the original, with the graph that the release was made with.
        rows: (m,) the released words.
        noisy: (m, d) the released vectors.
        claim: the claimed guarantee, if any.
        extra: number of words of the release that the original lacks.
        sensitivity: (n,) sensitivity of each word of the space, if the noise was not calibrated to the space's graph.
        unreleased: number of words of the original that are not in the space because they were not released.
        files: the files of both, if the check of low-order bits is to read all their digits.
    """

    space: EmbeddingSpace
    rows: Ids
    noisy: Floats
    claim: Guarantee | None = None
    extra: int = 0
    sensitivity: npt.NDArray[np.float64] | None = None
    unreleased: int = 0
    files: ExactFiles | None = None

    @property
    def missing(self) -> int:
        """Number of words of the original that the release lacks."""
        return len(self.space) - len(self.rows) + self.unreleased

    @cached_property
    def words(self) -> Words:
        """(m,) the released words."""
        return self.space.embeddings.words[self.rows]

    @cached_property
    def truth(self) -> Ids:
        """(m,) the true point of each released word."""
        return self.space.embeddings.points.of_word[self.rows]

    @cached_property
    def vectors(self) -> Floats:
        """(m, d) the vectors without noise."""
        return self.space.vectors[self.rows]

    @cached_property
    def noise(self) -> npt.NDArray[np.float64]:
        """(m, d) released minus original vectors."""
        return self.noisy.astype(np.float64) - self.vectors

    @cached_property
    def mechanism(self) -> Additive | None:
        """The claimed mechanism, if any."""
        return None if self.claim is None else additive(self.claim.mechanism)

    @cached_property
    def law(self) -> NoiseLaw:
        """The claimed law of the noise; Gaussian without a claim."""
        return (self.mechanism.noise if self.mechanism else GaussianNoise()).fitted(self.space.embeddings)

    @cached_property
    def whitened_noise(self) -> npt.NDArray[np.float64]:
        """(m, d) the noise in whitened coordinates."""
        return self.law.whitened(self.noise).astype(np.float64, copy=False)

    @cached_property
    def claimed_scale(self) -> npt.NDArray[np.float64] | None:
        """(m,) the claimed noise scale of each released word; None without a claim."""
        scale = self._claimed
        return None if scale is None else scale[self.rows]

    @cached_property
    def scale_of_points(self) -> npt.NDArray[np.float64]:
        """(p,) the noise scale of each point: the claimed scale, or an estimate from its component."""
        points = self.space.embeddings.points
        if self._claimed is not None:
            return self._claimed[points.first_word]
        labels = self.space.labels[self.rows]
        components = len(self.space.neighbourhoods.sizes)
        squared = (self.noise**2).mean(axis=1)
        total, words = np.bincount(labels, squared, components), np.bincount(labels, minlength=components)
        mean = np.divide(total, words, out=np.full(components, squared.mean()), where=words > 0)
        return np.sqrt(mean)[self.space.neighbourhoods.labels]

    @cached_property
    def edges(self) -> Ids:
        """(e, 2) the edges of the graph with two released ends, as positions among the released words."""
        points = self.space.embeddings.points
        place = np.full(len(points), -1)
        place[self.truth[::-1]] = np.arange(len(self.rows))[::-1]
        ends = place[self.space.neighbourhoods.graph.edges]
        return ends[(ends >= 0).all(axis=1)]

    @cached_property
    def exposed(self) -> npt.NDArray[np.bool_]:
        """(m,) which words were released unchanged."""
        return without_noise(self.vectors, self.noisy)

    @cached_property
    def nearest(self) -> npt.NDArray[np.int32]:
        """(m, k) the points nearest to each released vector: at least ten, or all if there are fewer."""
        count = max(self.space.neighbourhoods.graph.n_neighbours, *TOP)
        return nearest_points(self.space.embeddings.points.vectors, self.noisy, count)

    @cached_property
    def overlap(self) -> npt.NDArray[np.float64]:
        """(m,) the paper's p_i."""
        clean_lists = self.space.nearest_without_noise(self.rows)
        return overlaps(clean_lists, self.nearest[:, : clean_lists.shape[1]])

    @cached_property
    def kinds(self) -> dict[str, npt.NDArray[np.bool_]]:
        """(m,) which of the released words are of each kind."""
        return {kind: mask[self.rows] for kind, mask in kinds_of_words(self.space).items()}

    def exact(self, words: Ids, others: Ids) -> ExactSample | None:
        """Return some released words, and then others, with all digits of the files.

        None if there are no files, or the released file holds no more than float32.
        """
        if self.files is None:
            return None
        rows = np.concatenate([words, others])
        return exact_sample(self.files, self.words[rows].tolist(), self.vectors[rows], self.noisy[words])

    @cached_property
    def _claimed(self) -> npt.NDArray[np.float64] | None:
        """(n,) the claimed noise scale of each word; None without a claim."""
        if self.claim is None or self.mechanism is None:
            return None
        if self.sensitivity is not None:
            return self.mechanism.multiplier(self.claim.epsilon, self.claim.delta) * self.sensitivity
        return self.mechanism.noise_scale(self.space, self.claim.epsilon, self.claim.delta)


def paired(space: EmbeddingSpace, released: Embeddings, claim: Guarantee | None = None) -> Pair:
    """Return the pair of a space and a release, whose words are matched by name.

    Raises:
        InputError: if the two have no word in common, or different dimensions.
    """
    if released.dimension != space.embeddings.dimension:
        raise InputError(f"the release has {released.dimension} dimensions, the original {space.embeddings.dimension}")
    released_rows = np.array([released.row_of.get(word, -1) for word in space.embeddings.words.tolist()])
    rows = np.flatnonzero(released_rows >= 0)
    if not len(rows):
        raise InputError("the release and the original have no word in common")
    return Pair(space, rows, released.vectors[released_rows[rows]], claim, len(released) - len(rows))
