"""A run as its user sees it: bars where standard error is a terminal, lines of the log where it is not."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL

pytestmark = [pytest.mark.servers, pytest.mark.usefixtures("prefect_server")]

CHECKOUT = Path(__file__).parents[2]
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BAR = re.compile(r"experiment +[\u2501\u257a\u2578]+ +(\d+)% (\d+) of 12 units")


@pytest.fixture
def command(embedding, benchmarks, tmp_path):
    """A command of 12 units: four evaluations without noise and at two epsilons."""
    return [
        *(sys.executable, "-m", "flows.experiment", "--embedding", str(embedding), "--words", "400"),
        *("--mechanisms", "nadp", "--isolated", "nearest", "--epsilons", "2", "7", "--repeats", "1", "--seed", "77"),
        *("--benchmarks", "rg65", "sts-b", "odd-man-out", "--benchmarks-dir", str(benchmarks)),
        *("--out", str(tmp_path / "out")),
    ]


@pytest.fixture
def environment(tmp_path):
    """Of a command that uses the server of these tests, and a cache of its own."""
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return plain | {"NADP_HOME": str(tmp_path / "home"), "PREFECT_API_URL": PREFECT_API_URL.value(), "TERM": "xterm"}


def read_all(terminal):
    """What is written to a terminal until the last of its users is gone."""
    found = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other end of the terminal is closed
            return found.decode()
        if not part:
            return found.decode()
        found += part


def test_on_a_terminal_a_bar_grows_below_the_log_and_is_gone_at_the_end(command, environment):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    run = subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    seen = read_all(ours)
    os.close(ours)
    printed, _ = run.communicate()
    assert run.returncode == 0, seen
    assert "completed: report in" in printed
    assert "\x1b" not in printed
    bars = [(int(share), int(done)) for share, done in BAR.findall(ESCAPES.sub("", seen))]
    assert bars[0] == (0, 0)
    assert bars[-1] == (100, 12)
    assert bars == sorted(bars)
    assert all(share == round(100 * done / 12) for share, done in bars)
    assert "4/4 units evaluated" in seen
    last_bar, end = seen.rindex("of 12 units"), seen.rindex("\x1b[2K")
    assert last_bar < end  # the line of the bar was cleared after the bar was drawn for the last time


def test_without_a_terminal_there_are_plain_lines_with_the_counts(command, environment):
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout + done.stderr
    assert not BAR.search(done.stderr)
    assert re.search(r"no noise: 4/4 units evaluated; after \d+ seconds? 4 of 12 units\n", done.stderr)
    assert re.search(r"nadp tau=0.1 nearest: 8/8 units evaluated; after \d+ seconds? 12 of 12 units\n", done.stderr)
    assert "12/12 units evaluated" in done.stdout
