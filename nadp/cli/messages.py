"""Messages about invalid parameters: the same on the command line, in forms, and for callers of flows."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails, PydanticCustomError

from nadp.errors import one_of

YES_OR_NO = "must be true or false"
_REQUIREMENT_OF_ERROR = {
    "string_type": "must be text",
    "list_type": "must be a list",
    **dict.fromkeys(
        ("int_parsing", "int_type", "int_from_float", "int_parsing_size", "finite_number"), "must be a whole number"
    ),
    **dict.fromkeys(("float_parsing", "float_type"), "must be a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), YES_OR_NO),
}
_LIMITS = {"greater_than_equal", "greater_than", "less_than_equal", "less_than", "finite_number"}
_LIMITS |= {"string_pattern_mismatch"}  # "finite_number" is an error of the type for integers, of the limits for others
_LONGEST = 80  # characters of a value


def told(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - any parameter
    """Return a validated value, for pydantic's WrapValidator, or raise our error."""
    try:
        return handler(value)
    except ValidationError as error:
        message = "; ".join(dict.fromkeys(map(_sentence, error.errors(include_url=False))))
    raise PydanticCustomError("parameter", "{said}", {"said": message})


def within(limits: str) -> WrapValidator:
    """Return a validator whose message states the limits in the library's own wording."""

    def checked(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 - any parameter
        try:
            return handler(value)
        except ValidationError as error:
            error_type = error.errors(include_url=False)[0]["type"]
            if error_type not in _LIMITS or (error_type == "finite_number" and "finite" not in limits):
                raise
        raise PydanticCustomError("limits", "{said}", {"said": f"{limits}, not {shown(value)}"})

    return WrapValidator(checked)


def unknown(name: str, known: Iterable[str]) -> str:
    """Return the message about an unknown parameter."""
    close = get_close_matches(name, known, 1)
    return f"{name}: there is no such parameter" + (f": did you mean {close[0]}?" if close else "")


def lacking(name: str) -> str:
    """Return the message about a missing value."""
    return f"{name}: must have a value"


def _sentence(error: ErrorDetails) -> str:
    value = error["input"]
    if error["type"] == "literal_error":
        return one_of(value, re.findall("'([^']*)'", error["ctx"]["expected"]))
    if error["type"] not in _REQUIREMENT_OF_ERROR:
        return error["msg"]
    return f"{_REQUIREMENT_OF_ERROR[error['type']]}, not {shown(value)}"


def shown(value: Any) -> str:  # noqa: ANN401 - any parameter
    """Return a value as the user wrote it. Numbers have no quotes, although the command line passes them as text."""
    try:
        float(value)
    except (ValueError, TypeError, OverflowError):
        return repr(value)[:_LONGEST]
    return str(value)[:_LONGEST]
