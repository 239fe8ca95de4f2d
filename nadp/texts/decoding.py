"""Decoding noisy vectors to words: post-processing with public inputs only, which costs no privacy."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Ids, Points
from nadp.errors import InputError, one_of
from nadp.noise.uniform import fractions
from nadp.search.decoding import NearestPoints
from nadp.texts.encoded import EncodedTexts
from nadp.texts.encoder import TextEncoder
from nadp.texts.group_code import GroupModel
from nadp.texts.model import NoiseModel, model_of

How = Literal["nearest", "likely", "mean", "random"]
_LEAST_PRIOR = 1e-300


class Decoder:
    """Reduces noise as far as the public vocabulary and the known noise scales allow.

    Args:
        encoder: the encoder of the texts.
        how: "nearest": the word whose vector is nearest; "likely": the most probable word, given the noise scale of
            each word, or the most frequent member of the most probable group; "mean": the posterior mean of all
            vectors, instead of a word; "random": a member of the group, drawn by the partition's prior (groups only).
        prior: (n,) how frequent each word is, up to a factor; default uniform, or the partition's prior. "nearest" and
            "random" ignore it.

    Raises:
        InputError: if the prior does not fit the words, or how is "random" but the encoder adds noise.
    """

    def __init__(self, encoder: TextEncoder, how: How = "likely", prior: npt.ArrayLike | None = None) -> None:
        if how not in get_args(How):
            raise InputError(f"how {one_of(how, get_args(How))}")
        self.encoder, self.how = encoder, how
        points = encoder.embeddings.points
        self._model, self._nearest = model_of(encoder.noise, points), NearestPoints(points.vectors, 1)
        if how == "random" and isinstance(self._model, NoiseModel):
            raise InputError("how='random' is for groups only: for noise, choose how='likely' or 'nearest'")
        self._prior = None if prior is None else _prior_of(points, np.asarray(prior, dtype=np.float64))

    def rows(self, encoded: EncodedTexts) -> Ids:
        """Return the row of the decoded word of each token, (t,); if words share a vector, the first of them.

        Raises:
            InputError: if how is "mean", which yields no word.
        """
        if self.how == "mean":
            raise InputError("the mean of all vectors is not a word: choose how='likely' or 'nearest'")
        points = np.empty(len(encoded.vectors), dtype=np.int64)
        for factor, tokens in _by_factor(encoded):
            noisy = encoded.vectors[tokens]
            if self.how == "random" and isinstance(self._model, GroupModel):
                points[tokens] = self._model.members(noisy, fractions(len(noisy), os.urandom))
            elif self.how == "nearest":
                points[tokens] = self._nearest.to(noisy)[:, 0]
            else:
                points[tokens] = self._model.most_likely(noisy, factor, self._prior)
        return self._model.points.first_word[points]

    def words(self, encoded: EncodedTexts) -> list[list[str]]:
        """Return the decoded words of each text."""
        names = self.encoder.words[self.rows(encoded)].tolist()
        return [names[start:end] for start, end in zip(encoded.starts[:-1], encoded.starts[1:], strict=True)]

    def vectors(self, encoded: EncodedTexts) -> EncodedTexts:
        """Return the texts with decoded vectors: the vectors of the decoded words, or the posterior means."""
        if self.how != "mean":
            return replace(encoded, vectors=self.encoder.embeddings.vectors[self.rows(encoded)])
        means = np.empty_like(encoded.vectors)
        for factor, tokens in _by_factor(encoded):
            means[tokens] = self._model.posterior_means(encoded.vectors[tokens], factor, self._prior)
        return replace(encoded, vectors=means)


def _by_factor(encoded: EncodedTexts) -> Iterator[tuple[float, Ids]]:
    """Yield each noise factor with its tokens."""
    factors = np.repeat(encoded.factors, encoded.lengths)
    for factor in np.unique(factors):
        yield float(factor), np.flatnonzero(factors == factor)


def _prior_of(points: Points, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the probability of each point, (p,), from the weights of its words (n,)."""
    if weights.shape != points.of_word.shape or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(f"the prior must hold {len(points.of_word)} finite numbers, none below 0")
    if not weights.any():
        raise InputError("the prior is 0 for every word")
    return np.bincount(points.of_word, weights=weights / weights.sum()).clip(min=_LEAST_PRIOR)
