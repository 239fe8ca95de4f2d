"""An attacker who knows which words follow each other: the tokens of a text are not independent.

The language model consists of bigrams with the smoothing of I. H. Witten and T. C. Bell (1991). A. J. Viterbi's
algorithm (1967) finds the most probable words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nadp.embeddings import Ids
from nadp.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats64 = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Language:
    """Bigram probabilities of n words, learnt from texts other than the attacked ones.

    The probability of w after v is pairs[v, w] + weight[v] * single[w]; v = n stands for the beginning of a text.

    Attributes:
        single: (n,) probability of each word without context, all above 0.
        pairs: (n + 1, n) share of w among the words after v, reduced by the mass reserved for unseen pairs.
        weight: (n + 1,) the mass reserved for unseen pairs after each v.
    """

    single: Floats64
    pairs: "csr_array"
    weight: Floats64

    @classmethod
    def of(cls, texts: Sequence[Ids], prior: Floats64) -> "Language":
        """Return the bigram language model of some texts.

        The mass reserved for new words is estimated from how often new words occurred, after v and overall.

        Args:
            texts: the rows of each text's words, in order.
            prior: (n,) probability of each word before any text is seen, all above 0.

        Raises:
            InputError: if the texts hold no word, or a prior is not above 0.
        """
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

        if not (prior > 0).all():
            raise InputError("the prior of a language model must be above 0 for every word")
        words = np.concatenate([np.empty(0, dtype=np.int64), *texts])
        if not len(words):
            raise InputError("a language model needs texts with at least one known word")
        n = len(prior)
        counts = np.bincount(words, minlength=n)
        distinct_words = np.count_nonzero(counts)
        unigram = (counts + distinct_words * prior / prior.sum()) / (len(words) + distinct_words)
        previous_words = np.concatenate([np.concatenate([[n], text[:-1]]) for text in texts if len(text)])
        pairs = csr_array((np.ones(len(words)), (previous_words, words)), shape=(n + 1, n))
        pairs.sum_duplicates()
        distinct_followers = np.diff(pairs.indptr)
        context_totals = np.bincount(previous_words, minlength=n + 1) + distinct_followers
        pairs.data /= np.repeat(context_totals, distinct_followers)
        return cls(
            unigram, pairs, np.divide(distinct_followers, context_totals, out=np.ones(n + 1), where=context_totals > 0)
        )


@dataclass(frozen=True, eq=False)
class Candidates:
    """The words that each of t tokens may be.

    Attributes:
        starts: (t + 1,) where the candidates of each token begin.
        words: (m,) rows of the candidates.
        log_likelihood: (m,) log-likelihood of the observed output if the token is this word, up to a constant for each
            token.
    """

    starts: Ids
    words: Ids
    log_likelihood: Floats64


def candidates_in_groups(labels: npt.NDArray[np.integer], groups: Ids) -> Candidates:
    """Return the words of each token's group, which all have the same output.

    Args:
        labels: (n,) the group of each word.
        groups: (t,) the group of each token.
    """
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first, lengths = (np.cumsum(sizes) - sizes)[groups], sizes[groups]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    position_in_group = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    return Candidates(starts, order[np.repeat(first, lengths) + position_in_group], np.zeros(starts[-1]))


def most_probable_words(language: Language, texts: Ids, candidates: Candidates) -> Ids:
    """Return the word of each token (t,) in the most probable reading of each text.

    Args:
        language: a model of the domain.
        texts: (k + 1,) where each text's tokens begin.
        candidates: candidates of the t tokens, at least one for each.

    Raises:
        InputError: if a token has no candidate, or tokens and texts do not fit.
    """
    from nadp.attacks.kernels import most_probable_ways  # noqa: PLC0415 - compiled when it is needed

    tokens = len(candidates.starts) - 1
    if texts[0] != 0 or texts[-1] != tokens:
        raise InputError(f"texts of {texts[-1]} tokens do not fit candidates for {tokens}")
    if (np.diff(candidates.starts) < 1).any():
        raise InputError(f"token {int(np.diff(candidates.starts).argmin())} has no candidate")
    decoded, pairs = np.empty(tokens, dtype=np.int64), language.pairs
    most_probable_ways(
        texts,
        candidates.starts,
        candidates.words,
        candidates.log_likelihood,
        pairs.indptr.astype(np.int64),
        pairs.indices.astype(np.int32),
        pairs.data,
        language.weight,
        language.single,
        decoded,
    )
    return decoded
