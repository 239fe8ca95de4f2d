"""Prefect's records of results. All assumptions about their layout are in this file.

A record is a file of RESULTS, named by its cache key: a JSON object with the result as a string and its serializer. The
result must be JSON as well: write access to a shared store must not allow code execution.
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import prefect
from prefect.client.schemas.objects import State
from prefect.serializers import JSONSerializer

from tasks.store import sharing
from tasks.store.artefacts import Artefact
from tasks.store.home import home

RESULTS = home() / "results"
_SERIALIZER = JSONSerializer().model_dump(mode="json")
_log = logging.getLogger("nadp.records")


class UnknownLayoutError(RuntimeError):
    """A record of this version of Prefect with a layout unknown to the tests."""


def record_of(state: State[Any]) -> Path:
    """Return the record of the result of a completed run."""
    data: Any = state.data
    return RESULTS / Path(data.metadata.storage_key).name


def drop_if_damaged(record: Path) -> None:
    """Remove a record that cannot be read or refers to a missing or changed file; the task runs again.

    Raises:
        UnknownLayoutError: if its references cannot be determined; nothing is removed then.
    """
    try:
        result = _result(record.read_bytes())
        damaged = [file.path for file in _artefacts(result) if not file.is_intact()]
    except FileNotFoundError:
        return
    except (ValueError, TypeError, AttributeError, ImportError) as error:
        damaged = [f"{type(error).__name__}: {error}"]
    if damaged:
        _log.warning("the result %s is dropped and recomputed: %s", record.name, ", ".join(damaged))
        record.unlink(missing_ok=True)
        sharing.discard(record)


def _result(content: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return the result in a record as plain JSON.

    Raises:
        ValueError: if it is not JSON, or of another serializer.
        ImportError: if it holds an object of a class that no longer exists.
        AttributeError: likewise.
    """
    record = json.loads(content)
    try:
        serializer, result = record["metadata"]["serializer"], record["result"]
    except (KeyError, TypeError) as error:
        raise UnknownLayoutError(f"Prefect {prefect.__version__} writes results in an unknown layout") from error
    if serializer != _SERIALIZER:
        raise ValueError(f"it was written with {serializer}")
    return json.loads(result, object_hook=_known)


def _known(value: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a result if it is plain or of one of our classes: Prefect imports the class."""
    if name := value.get("__class__") or value.get("__exc_type__"):
        if name.partition(".")[0] not in ("nadp", "tasks"):
            raise ValueError(f"it holds an object of {name}")
        resolve_name(name)
    return value


def _artefacts(value: Any) -> Iterator[Artefact]:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        if value.keys() == {f.name for f in fields(Artefact)}:
            yield Artefact(**value)
        else:
            for item in value.values():
                yield from _artefacts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _artefacts(item)
