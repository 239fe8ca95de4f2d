"""Display of a run: the library's log and, on a terminal, a bar for each stage of more than a second."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from prefect.logging.handlers import PrefectConsoleHandler
from rich.console import Console

from nadp.cli.bars import Bars, drawn, logged


@contextmanager
def bars() -> Iterator[Bars | None]:
    """Show the log and bars while this block runs. Without a terminal there are no bars, and it yields None.

    They share the console of Prefect's log, whose lines still appear above the bars.
    """
    with logged():
        console = _console()
        if console is None:
            yield None
        else:
            with drawn(console) as shown:
                yield shown


def _console() -> Console | None:
    """Return the console that Prefect logs to, if it is a terminal."""
    consoles = [
        handler.console for handler in logging.getLogger().handlers if isinstance(handler, PrefectConsoleHandler)
    ]
    return next((console for console in consoles if console.is_terminal), None)
