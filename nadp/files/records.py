"""Dataclasses to and from strict JSON; every value is checked against the type of its field."""

import json
import math
import types
from dataclasses import MISSING, asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from nadp.errors import FormatError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def strict_json(value: Any) -> str:  # noqa: ANN401 - any plain value or dataclass
    """Return a plain value or a dataclass as JSON. Non-finite numbers, which JSON lacks, become null."""
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    return json.dumps(_finite(plain), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:  # noqa: ANN401 - any plain value
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: Path) -> Any:  # noqa: ANN401 - any JSON
    """Return the content of a JSON file.

    Raises:
        FormatError: if it is not JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is not JSON: {error}") from error


def record_of(kind: type[T], plain: Any, where: str) -> T:  # noqa: ANN401 - any JSON
    """Return a dataclass from its JSON fields; null becomes NaN where a number is required.

    Args:
        kind: the dataclass. Its fields are numbers, strings, literals, tuples (lists in JSON), dictionaries with
            string keys, other dataclasses, or unions with None.
        plain: the parsed JSON.
        where: the place in the file, for messages.

    Raises:
        FormatError: if a field is missing, unknown, or of another type; the message names it.
    """
    if not isinstance(plain, dict):
        raise FormatError(f"{where} must be an object, not {plain!r:.60}")
    hints, field_of_name = get_type_hints(kind), {f.name: f for f in fields(kind)}
    if unknown := plain.keys() - field_of_name.keys():
        raise FormatError(f"{where} has an unknown field {min(unknown)!r}")
    required = (name for name, f in field_of_name.items() if f.default is MISSING and f.default_factory is MISSING)
    if missing := next((name for name in required if name not in plain), None):
        raise FormatError(f"{where} lacks the field {missing!r}")
    return kind(**{name: _converted(hints[name], value, f"{where}.{name}") for name, value in plain.items()})


def _converted(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401, PLR0911 - a type, and any JSON
    """Return a value converted to its type."""
    origin, type_arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        return record_of(kind, value, where)
    if origin in (Union, types.UnionType):
        alternatives = [part for part in type_arguments if part is not types.NoneType]
        return None if value is None else _converted(alternatives[0], value, where)
    if origin is Literal and value in type_arguments:
        return value
    if kind is float and (value is None or type(value) in (int, float)):
        return math.nan if value is None else float(value)
    if origin is tuple and isinstance(value, list):
        return tuple(_converted(type_arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if origin is dict and isinstance(value, dict):
        return {key: _converted(type_arguments[1], item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise FormatError(f"{where} must be {kind}, not {value!r:.60}")
