"""Progress of an experiment: bars on a terminal, a log line after each curve, a progress artifact in the UI."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import cast
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.logging import get_run_logger

from flows.bars import bars
from flows.units import Units
from nadp.cli.bars import Bars
from nadp.runtime.progress import Estimate, Stage, duration, percent, reporting, rest
from tasks.evaluation import UNIT


class Watch:
    """Counts the units of an experiment; a listener for nadp.runtime.progress.reporting.

    Units inside a curve move the bar. The remaining time is estimated from the computed curves, because only whole
    curves take similar times.

    Args:
        bars: bars of the terminal, if there is one.
    """

    def __init__(self, bars: Bars | None) -> None:
        self._bars = bars
        self._units: Mapping[str, int] = {}
        self._settled_units = 0
        self._lock = Lock()  # stages are reported by the threads of the task runner
        self._showing = Lock()  # counted and shown at once, so that no thread shows an older count after a newer one
        self._done_by_stage: dict[tuple[str, str], int] = {}
        self._estimate = Estimate(0)
        self._started_at = time.monotonic()
        self._artifact: UUID | None = None

    def expect(self, units: Mapping[str, int]) -> None:
        """Set the units of each curve, in order."""
        self._units, self._estimate, self._started_at = units, Estimate(len(units)), time.monotonic()
        artifact_id = create_progress_artifact(0.0, key="experiment-progress", description=self._counts())
        self._artifact = cast("UUID", artifact_id)  # it would be a coroutine in an asynchronous flow
        self._show()

    def __call__(self, stage: Stage) -> None:
        """Handle an event of a stage."""
        if self._bars is not None:
            self._bars(stage)
        if stage.unit == UNIT:
            with self._lock:
                self._done_by_stage[stage.of, stage.name] = stage.done
            self._show()

    def settle(self, curve: str, units: Units, *, given: bool) -> None:
        """Report the end of a curve.

        Args:
            curve: its label.
            units: its units.
            given: whether the time estimate ignores it, because it was cached or is of another kind.
        """
        with self._lock:
            self._done_by_stage = {stage: n for stage, n in self._done_by_stage.items() if stage[0] != curve}
            self._settled_units += self._units[curve]
            self._estimate.add(1, given=given)
        elapsed = duration(time.monotonic() - self._started_at)
        get_run_logger().info("%s: %s; after %s %s", curve, units, elapsed, self._counts())
        if self._artifact is not None:
            share = percent(self._settled_units, self._total_units)
            update_progress_artifact(self._artifact, float(share), description=self._counts())
        self._show()

    @property
    def _total_units(self) -> int:
        return sum(self._units.values())

    @property
    def _done_units(self) -> int:
        with self._lock:
            return min(self._total_units, self._settled_units + sum(self._done_by_stage.values()))

    def _counts(self) -> str:
        return f"{self._done_units:,} of {self._total_units:,} units{rest(self._estimate.seconds)}"

    def _show(self) -> None:
        if self._bars is None or not self._units:
            return
        with self._showing:
            self._bars.show(self, "experiment", self._done_units, self._total_units, self._counts())


@contextmanager
def watching() -> Iterator[Watch]:
    """Follow an experiment while this block runs."""
    with bars() as shown:
        watch = Watch(shown)
        with reporting(watch):
            yield watch
