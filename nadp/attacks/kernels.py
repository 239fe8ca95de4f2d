"""The compiled loops of the context attack and of disclosure. tests/reference.py holds naive versions."""

import numpy as np

from nadp.runtime.compiled import compiled


@compiled()
def most_probable_ways(texts, starts, words, known, rows, columns, shares, weight, single, out):
    """Fill out with the most probable candidate of each token, text after text, by Viterbi's algorithm.

    The probability of a word w after a word v is shares[v, w] + weight[v] * single[w], times exp(known).

    Args:
        texts: (k + 1,) int64, where each text's tokens begin.
        starts: (t + 1,) int64, where each token's candidates begin.
        words: (m,) int64, the candidates, at least one for each token.
        known: (m,) float64, log-likelihood of the observed output given each candidate.
        rows: (n + 2,) int64, where the entries of each v begin in `columns` and `shares`; v = n is the start of a text.
        columns: (e,) int32, ascending within each v.
        shares: (e,) float64.
        weight: (n + 1,) float64.
        single: (n,) float64, above 0.
        out: (t,) int64.
    """
    score, way = np.empty(len(words)), np.empty(len(words), dtype=np.int64)
    before_the_first = len(single)
    for text in range(len(texts) - 1):
        for token in range(texts[text], texts[text + 1]):
            for i in range(starts[token], starts[token + 1]):
                score[i], way[i] = -np.inf, starts[token - 1] if token else 0
                if token == texts[text]:
                    score[i] = np.log(_after(before_the_first, words[i], rows, columns, shares, weight, single))
                else:
                    for j in range(starts[token - 1], starts[token]):
                        reached = score[j] + np.log(_after(words[j], words[i], rows, columns, shares, weight, single))
                        if reached > score[i]:
                            score[i], way[i] = reached, j
                score[i] += known[i]
        last = texts[text + 1] - 1
        if last >= texts[text]:
            best = starts[last]
            for i in range(starts[last], starts[last + 1]):
                if score[i] > score[best]:
                    best = i
            for token in range(last, texts[text] - 1, -1):
                out[token] = words[best]
                best = way[best]


@compiled()
def _after(v, w, rows, columns, shares, weight, single):
    low, high = rows[v], rows[v + 1]
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < w:
            low = middle + 1
        else:
            high = middle
    own = shares[low] if low < rows[v + 1] and columns[low] == w else 0.0
    return own + weight[v] * single[w]


@compiled()
def guesses(probable, truth, hit, place, entropy):
    """Fill in for each row whether the true word is the most probable, its rank, and the entropy in bits.

    Equal probabilities share the mean of their ranks; among the largest, the guess is the first word.

    Args:
        probable: (q, n) float64, probability of each word; rows sum to 1.
        truth: (q,) int64, the true words.
        hit: (q,) bool, output: whether the guess is the true word.
        place: (q,) float64, output: rank of the true word, from 1.
        entropy: (q,) float64, output.
    """
    for i in range(probable.shape[0]):
        row, own = probable[i], probable[i, truth[i]]
        more, same, earlier, total = 0, 0, False, 0.0
        for j in range(len(row)):
            more += row[j] > own
            if row[j] == own:
                same += 1
                earlier |= j < truth[i]
            if row[j] > 0:
                total -= row[j] * np.log2(row[j])
        hit[i] = more == 0 and not earlier
        place[i] = more + (same + 1) / 2
        entropy[i] = total
