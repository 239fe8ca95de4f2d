"""Words hidden among their neighbours: groups of bounded size and share, each released as its centroid."""

from typing import TYPE_CHECKING

from nadp.runtime.on_demand import on_demand

if TYPE_CHECKING:
    from nadp.groups.asked import Asked, Found, extended, listed_rows
    from nadp.groups.exponential import Exponential
    from nadp.groups.guarantee import (
        best_success,
        bound_with_ratio,
        posterior_bound,
        prior_ratio,
        success_with,
        together,
    )
    from nadp.groups.making import partition
    from nadp.groups.partitions import Bounds, Partition
    from nadp.groups.prior import Prior, counted_prior, file_prior, uniform_prior, zipf_prior
    from nadp.groups.saved import load_partition, save_partition
    from nadp.groups.sensitive import Sensitive, revealed

__all__ = [
    "Asked",
    "Bounds",
    "Exponential",
    "Found",
    "Partition",
    "Prior",
    "Sensitive",
    "best_success",
    "bound_with_ratio",
    "counted_prior",
    "extended",
    "file_prior",
    "listed_rows",
    "load_partition",
    "partition",
    "posterior_bound",
    "prior_ratio",
    "revealed",
    "save_partition",
    "success_with",
    "together",
    "uniform_prior",
    "zipf_prior",
]

if not TYPE_CHECKING:  # a type checker would take every name for known
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "nadp.groups.asked": ("Asked", "Found", "extended", "listed_rows"),
            "nadp.groups.exponential": ("Exponential",),
            "nadp.groups.guarantee": (
                "best_success",
                "bound_with_ratio",
                "posterior_bound",
                "prior_ratio",
                "success_with",
                "together",
            ),
            "nadp.groups.making": ("partition",),
            "nadp.groups.partitions": ("Bounds", "Partition"),
            "nadp.groups.prior": ("Prior", "counted_prior", "file_prior", "uniform_prior", "zipf_prior"),
            "nadp.groups.saved": ("load_partition", "save_partition"),
            "nadp.groups.sensitive": ("Sensitive", "revealed"),
        },
    )
