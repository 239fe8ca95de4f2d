"""The operations of the command `nadp`."""

from collections.abc import Callable
from typing import Any

from nadp.cli.audit import Audit, audit_file
from nadp.cli.bars import bars
from nadp.cli.calibrate import Calibrate, calibrated
from nadp.cli.commands import FAILED, MISUSED, app, command, end, start
from nadp.cli.encode import Encode, encode_texts
from nadp.cli.release import Release, release_file
from nadp.errors import InputError
from nadp.runtime.memory import OPERATION, address_space_needed


def run() -> None:
    """Run the command with the arguments of the process."""
    nadp = app("nadp")
    nadp.help = "Private word embeddings: release vectors, encode texts, audit a file, calibrate noise."
    nadp.command(command(Release, _printed(release_file, OPERATION)), name="release")
    nadp.command(command(Encode, _printed(encode_texts, OPERATION)), name="encode")
    nadp.command(command(Audit, _audit), name="audit")
    nadp.command(command(Calibrate, _printed(calibrated)), name="calibrate")
    start(nadp)


def _printed(operation: Callable[[Any], str], space: int = 0) -> Callable[[Any, dict[str, Any]], None]:
    """Return a function that runs an operation and prints its result; a user's mistake ends the process.

    Args:
        operation: returns its result as a message.
        space: bytes of address space that it needs besides those of every command.
    """

    def run_and_print(parameters: Any, _: dict[str, Any]) -> None:  # noqa: ANN401 - any parameters
        address_space_needed(space)
        try:
            with bars():
                message = operation(parameters)
        except InputError as error:
            end(f"error: {error}", MISUSED)
        print(message)  # noqa: T201 - this is a command

    return run_and_print


def _audit(parameters: Audit, _: dict[str, Any]) -> None:
    """Audit a file; with `strict`, a failed check makes the command fail."""
    passed = False

    def operation(audit: Audit) -> str:
        nonlocal passed
        message, passed = audit_file(audit)
        return message

    _printed(operation, OPERATION)(parameters, {})
    if parameters.strict and not passed:
        end("failed: a check failed, and --strict was given", FAILED)
