"""Operations as commands: parameters become options, and a user's mistake ends with one message and exit code 2."""

import inspect
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Annotated, Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from cyclopts import App, CoercionError, CycloptsError, MissingArgumentError, Parameter, Token, UnusedCliTokensError
from pydantic import SkipValidation, ValidationError

from nadp.cli.declared import Parameters, describe, signature_of
from nadp.cli.messages import YES_OR_NO, lacking, shown, unknown
from nadp.errors import InputError
from nadp.runtime.memory import memory_needed

FAILED, MISUSED = 1, 2
_AGAIN = "run the same command again to continue"

P = TypeVar("P", bound=Parameters)


def app(name: str) -> App:
    """Return an application whose options are all named.

    Args:
        name: name of the command.
    """
    options = Parameter(consume_multiple=True, negative=(), converter=_option_value)
    return App(
        name=name,
        default_parameter=options,
        version_flags=[],
        help_format="plaintext",
        suppress_keyboard_interrupt=False,
    )


def start(application: App) -> None:
    """Run an application with the arguments of the process; an unknown option ends the process.

    Ctrl-C, SIGTERM, a lack of memory, and a path that cannot be used also end it, with a line that gives the reason.
    """
    signal.signal(signal.SIGTERM, _terminated)
    try:
        with memory_needed():
            application(sys.argv[1:], exit_on_error=False, print_error=False)
    except CycloptsError as error:
        end(f"error: {_misuse(error)}", MISUSED)
    except OSError as error:
        if error.filename is None:
            raise
        end(f"error: {error.filename} cannot be used: {error.strerror}", FAILED)
    except KeyboardInterrupt:
        end(f"stopped by Ctrl-C: {_AGAIN}", 128 + signal.SIGINT)
    except _TerminatedError:
        end(f"stopped by SIGTERM: {_AGAIN}", 128 + signal.SIGTERM)


class _TerminatedError(BaseException):
    """The process must end."""


def _terminated(_: int, __: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second SIGTERM ends it at once
    raise _TerminatedError


def _option_value(kind: type, tokens: Sequence[Token]) -> list[str] | str:
    """Return the text given for an option; the parameters' class parses and checks it."""
    values = [token.value for token in tokens]
    is_list = any(get_origin(part) is list for part in (kind, *get_args(kind)))
    return values if is_list else values[0]


def _misuse(error: CycloptsError) -> str:
    """Return a message about misused options, worded like the messages about parameters."""
    tokens = [token.partition("=")[0] for token in error.root_input_tokens or []]
    known_options = [_option(name) for name in inspect.signature(error.target).parameters] if error.target else []
    unknown_options = [token for token in tokens if token.startswith("--") and _option(token[2:]) not in known_options]
    if known_options and unknown_options:
        return unknown(unknown_options[0], known_options)
    option = error.argument.name if error.argument else ""
    if isinstance(error, MissingArgumentError):
        return lacking(option)
    if isinstance(error, CoercionError) and error.token:  # only flags are parsed before the class does it
        return f"{option}: {YES_OR_NO}, not {shown(error.token.value)}"
    if isinstance(error, UnusedCliTokensError):
        return f"{' '.join(error.unused_tokens or [])!r} belongs to no option"
    return str(error)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def command(declared: type[P], run: Callable[[P, dict[str, Any]], None]) -> Any:  # noqa: ANN401 - as declared
    """Return a function whose keyword parameters are those of a class; a mistake in them ends the process.

    Args:
        declared: the class.
        run: called with all checked parameters, and with those that were given.
    """

    def with_options(**options: Any) -> None:  # noqa: ANN401 - as declared
        try:
            parameters = declared.model_validate(options)
            parameters.check()
        except ValidationError as error:
            end("\n".join(_messages(error)), MISUSED)
        except InputError as error:
            end(f"error: {error}", MISUSED)
        run(parameters, {name: getattr(parameters, name) for name in options})

    # Types and limits are not validated here: the class checks them and words the messages
    kinds = {name: Annotated[kind, SkipValidation] for name, kind in get_type_hints(declared).items()}
    declared_parameters = signature_of(declared).parameters.values()
    by_name = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kinds[p.name]) for p in declared_parameters]
    describe(with_options, declared, inspect.Signature(by_name))
    return with_options


def end(message: str, code: int) -> NoReturn:
    """End the process with a message."""
    print(message, file=sys.stderr)  # noqa: T201 - this is a command
    sys.exit(code)


def _messages(error: ValidationError) -> list[str]:
    """Return a line for each wrong option."""
    errors = error.errors(include_url=False)
    return [f"error: {_option(str(e['loc'][0]))}: {e['msg']}" for e in errors]
