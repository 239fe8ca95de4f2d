"""Values that must not be stored: they stay in memory, as do the results of tasks that use them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from prefect import Task
from prefect.cache_policies import NO_CACHE

from tasks.store import artefacts
from tasks.store.artefacts import Artefact, stored

T = TypeVar("T")
UNKEPT: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False, "on_completion": []}
"""Options of a task whose result is neither cached nor written to disk."""


@dataclass(frozen=True, eq=False)
class Held:
    """The reference to a private value: the value itself, which cannot leave the process."""

    value: Any = field(repr=False)

    def __reduce__(self) -> str:
        raise TypeError("a private value cannot leave its process")


Reference = Artefact | Held


def kept(value: T, save: Callable[[Path, T], None], *, private: bool) -> Reference:
    """Return a reference to a value: a file in the store or, if private, the value itself."""
    return Held(value) if private else stored(lambda path: save(path, value), ".npz")


def loaded(reference: Reference, load: Callable[[Path], T]) -> Any:  # noqa: ANN401 - what `load` returns
    """Return the value of a reference; a value from a file is cached in this process."""
    return reference.value if isinstance(reference, Held) else artefacts.loaded(reference, load)


def unkept(task: Task[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 - any task
    """Return the result of a task without storing anything."""
    return task.with_options(**UNKEPT)(*arguments)
