"""Display of an operation: the library's log and, on a terminal, a bar for each stage that takes over a second."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn
from rich.theme import Theme

from nadp.runtime.progress import Stage, reporting

_WORTH_A_BAR = 1.0  # seconds


class Bars:
    """The bars of a terminal; a listener for nadp.runtime.progress.reporting.

    Args:
        progress: the display that draws them.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._rows: dict[object, TaskID] = {}

    def __call__(self, stage: Stage) -> None:
        """Show the progress of a stage once it has taken more than a second."""
        if stage.ended:
            row = self._rows.pop(stage, None)
            if row is not None:
                self._progress.remove_task(row)
        elif stage in self._rows or stage.elapsed > _WORTH_A_BAR:
            self.show(stage, stage.name, stage.done, stage.total, stage.counts)

    def show(self, key: object, name: str, done: int, total: int, counts: str) -> None:
        """Draw or redraw a bar.

        Args:
            key: the key of the bar.
            name: text to the left of it.
            done: number of finished units.
            total: number of all units; 0 if unknown.
            counts: text to the right of it.
        """
        if key in self._rows:
            self._progress.update(self._rows[key], completed=done, counts=counts)
        else:
            self._rows[key] = self._progress.add_task(name, total=total or None, completed=done, counts=counts)


@contextmanager
def bars() -> Iterator[None]:
    """Show the library's log, and bars where standard error is a terminal, while this block runs."""
    console = Console(stderr=True)
    handler = RichHandler(console=console, show_path=False)
    logger = logging.getLogger("nadp")
    logger.addHandler(handler)
    try:
        with logged():
            if console.is_terminal:
                with drawn(console):
                    yield
            else:
                yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def logged() -> Iterator[None]:
    """Show the library's log, which is hidden when the library is only imported."""
    logger = logging.getLogger("nadp")
    previous_level = logger.level
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(previous_level)


@contextmanager
def drawn(console: Console) -> Iterator[Bars]:
    """Draw bars on a console while this block runs."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[counts]}"))
    progress = Progress(*columns, console=console, transient=True, redirect_stdout=False)
    with console.use_theme(Theme()), progress, reporting(shown := Bars(progress)):  # Prefect's theme lacks bars
        yield shown
