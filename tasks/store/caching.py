"""Cache keys: when a task may reuse the result of an earlier run.

The key consists of the name of the task, its inputs, and a digest of the code that computes the result
(tasks.store.source). Files count by content, not by path. A record whose files are missing or changed is dropped, and
the task runs again.
"""

import hashlib
import json
import sys
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from prefect import Task
from prefect.cache_policies import CachePolicy
from prefect.client.schemas.objects import State, TaskRun
from prefect.context import TaskRunContext
from prefect.transactions import IsolationLevel

from nadp.files.durable import put
from tasks.store import sharing
from tasks.store.artefacts import Artefact
from tasks.store.home import home, made_home, store_url
from tasks.store.locks import FileLocks
from tasks.store.private import Held
from tasks.store.records import RESULTS, drop_if_damaged, record_of
from tasks.store.source import source_digest

_LOCKS = FileLocks(home() / "locks")
_EXACT = 2**53  # from here on floats skip integers


@dataclass
class BySource(CachePolicy):
    """Task name + inputs + source, with the files of a record checked before it is used."""

    def compute_key(
        self,
        task_ctx: TaskRunContext,
        inputs: dict[str, Any],
        flow_parameters: dict[str, Any],  # noqa: ARG002 - the signature is Prefect's
        **_: Any,  # noqa: ANN401 - the signature is Prefect's
    ) -> str:
        """Return the key of a task run."""
        made_home()
        parts = [task_ctx.task.name, plain(inputs), _digest_of(task_ctx.task)]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        with _LOCKS.holding(key):  # its holder may be writing the record
            bring_record(RESULTS / key)
            drop_if_damaged(RESULTS / key)
        return key


def digest_tasks() -> None:
    """Digest the source of each imported task with a cache, so that no run has to wait for it later."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("tasks.")]
    for value in [value for module in modules for value in vars(module).values()]:
        if isinstance(value, Task) and isinstance(value.cache_policy, BySource):
            _digest_of(value)


def _digest_of(task: Task[..., Any]) -> str:
    return source_digest(f"{task.fn.__module__}:{task.fn.__name__}")


def bring_record(record: Path) -> None:
    """Download the record of an earlier result from the shared store, if it is missing here."""
    if not record.exists():
        for path, content in sharing.read(record):
            put(path, content)


def share_record(task: Task[..., Any], run: TaskRun, state: State[Any]) -> None:
    """Upload the record of a result to the shared store, unless it exists."""
    del task, run
    record = record_of(state)
    if record.exists() and not sharing.is_shared(record):
        sharing.share(record)


CACHED: dict[str, Any] = {
    "cache_policy": BySource(isolation_level=IsolationLevel.SERIALIZABLE, lock_manager=_LOCKS),
    "persist_result": True,
    "result_storage": RESULTS,
    "result_serializer": "json",
    "cache_result_in_memory": False,
    "on_completion": [share_record] if store_url() else [],
}


def plain(value: Any) -> Any:  # noqa: ANN401 - any input of a task
    """Return an input as JSON values: numbers as floats, files by content.

    Raises:
        TypeError: for a private value, or one without a stable form, such as a set or an array.
    """
    if isinstance(value, Held):
        raise TypeError("a private value cannot be the input of a cached task")
    if isinstance(value, Artefact):
        return {"sha256": value.sha256}
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return {"integer": str(value)} if isinstance(value, int) and abs(value) >= _EXACT else float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return {"": type(value).__name__} | {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    raise TypeError(f"a task input of type {type(value).__name__} has no stable form for a cache key")
