"""The types of the parameters that only flows have."""

from typing import TYPE_CHECKING, Literal

from tasks.sources.benchmarks.catalogue import BENCHMARKS

# The choices are those of the catalogue; a type checker cannot follow them.
if TYPE_CHECKING:
    BenchmarkName = str
else:
    BenchmarkName = Literal[*BENCHMARKS]
Runner = Literal["threads", "dask"]
