"""The types of parameters that only flows have."""

from typing import TYPE_CHECKING, Literal, get_args

from nadp.utility.declaration import Family
from tasks.sources.benchmarks.catalogue import BENCHMARKS

_FAMILIES = get_args(Family)
# The choices come from the catalogue, family by family; a type checker cannot follow them.
if TYPE_CHECKING:
    BenchmarkName = str
else:
    BenchmarkName = Literal[*sorted(BENCHMARKS, key=lambda name: _FAMILIES.index(BENCHMARKS[name].family))]
Runner = Literal["threads", "dask"]
