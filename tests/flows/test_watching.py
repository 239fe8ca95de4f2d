"""The count of an experiment's units, while threads report them."""

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from flows.watching import Watch
from tasks.evaluation import UNIT


class SlowBars:
    """Bars that take a moment to show a count, less and less."""

    def __init__(self):
        self.shown = []

    def __call__(self, stage):
        pass

    def show(self, *arguments):
        time.sleep(0.003 / (1 + len(self.shown) % 5))
        self.shown.append(arguments[2])


def test_no_thread_shows_an_older_count_after_a_newer_one():
    bars = SlowBars()
    watch = Watch(bars)
    watch._units = {"curve": 160}

    def report(name):
        for done in range(1, 21):
            watch(SimpleNamespace(unit=UNIT, of="curve", name=name, done=done))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(report, "abcdefgh"))
    assert bars.shown == sorted(bars.shown)
    assert bars.shown[-1] == 160
