from .asked import Asked, Found, extended, listed_rows
from .exponential import Exponential
from .guarantee import best_success, bound_with_ratio, posterior_bound, prior_ratio, success_with, together
from .making import partition
from .partitions import Bounds, Partition
from .prior import Prior, counted_prior, file_prior, uniform_prior, zipf_prior
from .saved import load_partition, save_partition
from .sensitive import Sensitive, revealed

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
