"""Compiled inner loops of the evaluations. tests/reference.py has the naive versions."""

import numpy as np

from nadp.runtime.compiled import compiled


@compiled()
def rank_correlations(values, order, counts, ranks):
    """Return Spearman's correlation over each resample, (b,); NaN if one side is constant.

    Args:
        values: (m,) float64, ascending; equal ones share their mean rank.
        order: (m,) int64, the item of each value.
        counts: (b, m) uint16, number of times that each item is in each resample; each resample has m items.
        ranks: (b, m) float32, ranks of the other side within each resample, less their mean.
    """
    resamples, items = counts.shape
    found = np.empty(resamples)
    for b in range(resamples):
        cross = own = other = seen = 0.0
        i = 0
        while i < items:
            size = weighted = 0.0
            j = i
            while j < items and values[j] == values[i]:
                count, rank = float(counts[b, order[j]]), float(ranks[b, order[j]])
                size += count
                weighted += count * rank
                other += count * rank * rank
                j += 1
            centred = seen + (size + 1) / 2 - (items + 1) / 2
            cross += centred * weighted
            own += centred * centred * size
            seen += size
            i = j
        found[b] = cross / np.sqrt(own * other) if own > 0 and other > 0 else np.nan
    return found
