"""An operation as a command: its parameters as options, a user's mistake as one message and the exit code 2."""

import inspect
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, get_type_hints

from cyclopts import App, Parameter
from pydantic import ValidationError

from nadp.cli.declared import Parameters, help_of, signature_of
from nadp.errors import InputError

FAILED, MISUSED = 1, 2

P = TypeVar("P", bound=Parameters)


def app(name: str) -> App:
    """Return an application whose options are all given by name.

    Args:
        name: how it is called.
    """
    return App(name=name, default_parameter=Parameter(consume_multiple=True, negative=()), version_flags=[])


def command(declared: type[P], run: Callable[[P, dict[str, Any]], None]) -> Any:  # noqa: ANN401 - as declared
    """Return a function whose parameters, all by name, are those of a class; a mistake in them ends the process.

    Args:
        declared: the class.
        run: takes the checked parameters, and those that were given.
    """

    def with_options(**given: Any) -> None:  # noqa: ANN401 - as declared
        try:
            parameters = declared.model_validate(given)
            parameters.check()
        except ValidationError as error:
            end("\n".join(_messages(error)), MISUSED)
        except InputError as error:
            end(f"error: {error}", MISUSED)
        run(parameters, given)

    kinds = get_type_hints(declared)  # without their limits: it is the class that says what breaks them
    taken = signature_of(declared).parameters.values()
    by_name = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kinds[p.name]) for p in taken]
    # The ignore: __signature__ is what inspect reads, but a function is not declared to have it
    with_options.__signature__ = inspect.Signature(by_name)  # type: ignore[attr-defined]
    with_options.__doc__ = help_of(declared)
    return with_options


def end(message: str, code: int) -> NoReturn:
    """End the process with a message."""
    print(message, file=sys.stderr)  # noqa: T201 - this is a command
    sys.exit(code)


def _messages(error: ValidationError) -> list[str]:
    """Return what is wrong with which option, a line each."""
    found = error.errors(include_url=False)
    return [f"error: --{str(e['loc'][0]).replace('_', '-')}: {e['msg']}, not {e['input']!r}" for e in found]
