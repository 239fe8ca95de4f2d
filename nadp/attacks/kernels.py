"""The compiled loops of the context attack and of disclosure. tests/reference.py holds naive versions."""

import numpy as np

from nadp.runtime.compiled import compiled


@compiled()
def most_probable_ways(texts, starts, words, log_likelihood, rows, columns, shares, weight, unigram, out):
    """Fill out with the most probable candidate of each token, text after text, by Viterbi's algorithm.

    The probability of a word w after a word v is shares[v, w] + weight[v] * unigram[w], times exp(log_likelihood).

    Args:
        texts: (k + 1,) int64, where each text's tokens begin.
        starts: (t + 1,) int64, where each token's candidates begin.
        words: (m,) int64, the candidates, at least one for each token.
        log_likelihood: (m,) float64, log-likelihood of the observed output given each candidate.
        rows: (n + 2,) int64, where the entries of each v begin in `columns` and `shares`; v = n is the start of a text.
        columns: (e,) int32, ascending within each v.
        shares: (e,) float64.
        weight: (n + 1,) float64.
        unigram: (n,) float64, above 0.
        out: (t,) int64.
    """
    score, best_previous = np.empty(len(words)), np.empty(len(words), dtype=np.int64)
    start_of_text = len(unigram)
    for text in range(len(texts) - 1):
        for token in range(texts[text], texts[text + 1]):
            for i in range(starts[token], starts[token + 1]):
                score[i], best_previous[i] = -np.inf, starts[token - 1] if token else 0
                if token == texts[text]:
                    score[i] = np.log(_transition(start_of_text, words[i], rows, columns, shares, weight, unigram))
                else:
                    for j in range(starts[token - 1], starts[token]):
                        path_score = score[j] + np.log(
                            _transition(words[j], words[i], rows, columns, shares, weight, unigram)
                        )
                        if path_score > score[i]:
                            score[i], best_previous[i] = path_score, j
                score[i] += log_likelihood[i]
        last = texts[text + 1] - 1
        if last >= texts[text]:
            best = starts[last]
            for i in range(starts[last], starts[last + 1]):
                if score[i] > score[best]:
                    best = i
            for token in range(last, texts[text] - 1, -1):
                out[token] = words[best]
                best = best_previous[best]


@compiled()
def _transition(previous, word, rows, columns, shares, weight, unigram):
    low, high = rows[previous], rows[previous + 1]
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < word:
            low = middle + 1
        else:
            high = middle
    bigram = shares[low] if low < rows[previous + 1] and columns[low] == word else 0.0
    return bigram + weight[previous] * unigram[word]


@compiled()
def guesses(probable, truth, is_right, rank, entropy):
    """Fill in for each row whether the true word is the most probable, its rank, and the entropy in bits.

    Equal probabilities share the mean of their ranks; among the largest, the guess is the first word.

    Args:
        probable: (q, n) float64, probability of each word; rows sum to 1.
        truth: (q,) int64, the true words.
        is_right: (q,) bool, output: whether the guess is the true word.
        rank: (q,) float64, output: rank of the true word, from 1.
        entropy: (q,) float64, output.
    """
    for i in range(probable.shape[0]):
        row, true_probability = probable[i], probable[i, truth[i]]
        more_probable, ties, tied_earlier, total = 0, 0, False, 0.0
        for j in range(len(row)):
            more_probable += row[j] > true_probability
            if row[j] == true_probability:
                ties += 1
                tied_earlier |= j < truth[i]
            if row[j] > 0:
                total -= row[j] * np.log2(row[j])
        is_right[i] = more_probable == 0 and not tied_earlier
        rank[i] = more_probable + (ties + 1) / 2
        entropy[i] = total
