"""The task runs of a flow run, to report how many came from the cache."""

from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from prefect import Task
from prefect.futures import PrefectFuture

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Count:
    """Number of task runs, and of runs that were taken from the cache."""

    all: int = 0
    cached: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.all + other.all, self.cached + other.cached)

    def __str__(self) -> str:
        return f"{self.cached} of {self.all} task runs taken from the cache"


@dataclass(frozen=True)
class Submissions:
    """Submits tasks and remembers their runs."""

    futures: list[PrefectFuture[Any]] = field(default_factory=list)

    def submit(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> PrefectFuture[R]:
        """Return the future of a task."""
        future: PrefectFuture[R] = task.submit(*args, **kwargs)
        self.futures.append(future)
        return future

    def run(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of a task."""
        return self.submit(task, *args, **kwargs).result()

    def count(self) -> Count:
        """Return the number of task runs and of cached ones; all must have ended."""
        return Count(len(self.futures), sum(future.state.name == "Cached" for future in self.futures))
