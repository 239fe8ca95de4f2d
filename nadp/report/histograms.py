"""The appendix's figure: histograms of the overlap as Gaussian noise grows."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from nadp.attacks.overlap_sweep import OverlapAt
from nadp.report.pieces import png

_COLUMNS = 7


def overlap_histograms(sweep: Sequence[OverlapAt]) -> bytes:
    """Return a PNG with a histogram of p_i for each sigma, its skewness and, beside it, the measured recovery.

    Args:
        sweep: as in the manifest.
    """
    rows = max(1, math.ceil(len(sweep) / _COLUMNS))
    figure = Figure(figsize=(1.9 * _COLUMNS, max(2.2, 1.75 * rows)), layout="constrained")
    axes = figure.subplots(rows, _COLUMNS, squeeze=False, sharex=True).ravel()
    for axis in axes[len(sweep) :]:
        axis.set_visible(False)
    for axis, at in zip(axes, sweep, strict=False):
        edges = np.linspace(0, 1, len(at.counts) + 1)
        axis.stairs(at.counts, edges, fill=True, color="#0072B2")
        skew = at.skewness
        said = "not defined" if math.isnan(skew) else f"{skew:.2f}"
        axis.set_title(f"sigma {at.sigma:g}\nskew {said}, recovery {at.recovery:.0%}", fontsize=7)
        axis.tick_params(labelsize=6)
    return png(figure)
