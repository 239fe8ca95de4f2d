import contextlib
import errno
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from flows.command_line import _run, _without_traceback
from nadp.errors import InputError

CHECKOUT = Path(__file__).parents[2]


def command(*options):
    return subprocess.run(
        [sys.executable, "-m", "flows.experiment", *options],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "120"},
    )


def test_help_explains_every_option():
    done = command("--help")
    assert done.returncode == 0
    for option in ("--embedding", "--epsilons", "--isolated", "--benchmarks-dir", "--out"):
        assert option in done.stdout
    assert "as in the paper" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--embedding", "nowhere.zip"], "no embedding 'nowhere.zip'"),
        (["--preset", "unknown"], "'unknown'"),
        (["--epsilons", "-1"], "--epsilons: must be 0 or more"),
        (["--taus", "1.5"], "--taus: must lie between 0 and 1"),
    ],
)
def test_a_mistake_is_one_message_without_a_traceback(options, said):
    done = command(*options)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) < 25


@pytest.mark.servers
def test_a_file_that_is_no_embedding_is_refused_with_its_name_and_line(tmp_path):
    path = tmp_path / "page.txt"
    path.write_text("<html>\n<body>404 Not Found</body>\n</html>\n")
    done = command("--embedding", str(path), "--benchmarks", "wordsim353")
    assert done.returncode == 2
    assert str(path) in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("error", "mendable"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EROFS, "Read-only file system", "out"), True),
        (MemoryError("Unable to allocate 9 GiB"), True),
        (InputError("no file"), True),
        (OSError(errno.EBADF, "Bad file descriptor"), False),
        (ZeroDivisionError(), False),
    ],
)
def test_what_a_user_can_fix_is_logged_without_a_traceback_and_a_defect_with_one(error, mendable):
    record = logging.LogRecord("prefect.flow_runs", logging.ERROR, "x", 1, "failed", (), (type(error), error, None))
    assert _without_traceback(record)
    assert (record.exc_info is None) == mendable


def test_a_server_that_ends_while_a_flow_runs_is_one_line(monkeypatch, capsys):
    def flow(**_):
        raise httpx.ReadError("Connection reset by peer")

    monkeypatch.setattr("flows.server.server", lambda: contextlib.nullcontext(lambda: None))
    monkeypatch.setattr("flows.command_line.import_module", lambda _: SimpleNamespace(encode=flow))
    with pytest.raises(SystemExit) as ended:
        _run("encode", {})
    assert ended.value.code == 1
    assert "Connection reset by peer" in capsys.readouterr().err
