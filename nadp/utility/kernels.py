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
    correlations = np.empty(resamples)
    for b in range(resamples):
        cross = values_variance = ranks_variance = n_smaller = 0.0
        i = 0
        while i < items:
            size = weighted = 0.0
            j = i
            while j < items and values[j] == values[i]:
                count, rank = float(counts[b, order[j]]), float(ranks[b, order[j]])
                size += count
                weighted += count * rank
                ranks_variance += count * rank * rank
                j += 1
            centred = n_smaller + (size + 1) / 2 - (items + 1) / 2
            cross += centred * weighted
            values_variance += centred * centred * size
            n_smaller += size
            i = j
        correlations[b] = (
            cross / np.sqrt(values_variance * ranks_variance) if values_variance > 0 and ranks_variance > 0 else np.nan
        )
    return correlations
