"""The command `nadp`, in a process of its own: no Prefect, no server."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from nadp import noise_multiplier, read_embeddings

WORDS = "400"
CHECKOUT = Path(__file__).parents[3]


def nadp(*words, cwd, home):
    env = {"NADP_HOME": str(home), "PATH": "", "PYTHONPATH": str(CHECKOUT)}
    # Prefect is hidden, so that the command would fail if it needed it
    script = "import sys; sys.modules['prefect'] = None; from nadp.cli import main; main()"
    command = [sys.executable, "-c", script, *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("command")


@pytest.fixture(scope="module")
def released(folder):
    done = nadp(
        *("release", "--embedding", "sample", "--words", WORDS, "--epsilon", 5, "--out", "private.txt"),
        *("--embedding-is-public",),
        cwd=folder,
        home=folder / "home",
    )
    assert done.returncode == 0, done.stderr
    return folder / "private.txt"


def test_a_release_is_written_with_its_certificate_and_entered_in_the_ledger(released):
    assert len(read_embeddings(released)) == int(WORDS)
    certificate = json.loads(released.with_name("private.txt.certificate.json").read_text())
    assert certificate["epsilon"] == 5
    assert (released.parent / "home" / "ledger.sqlite").is_file()


def test_a_release_passes_its_audit_and_a_table_without_noise_does_not(released, folder):
    claim = ("--certificate", "private.txt.certificate.json", "--draws", 0, "--false-alarm", 1e-9, "--strict")
    audit = ("audit", "--original", "sample", "--released")
    good = nadp(*audit, released, *claim, "--out", "good", cwd=folder, home=folder / "home")
    assert good.returncode == 0, good.stderr
    assert (folder / "good" / "audit.html").is_file()
    bad = nadp(*audit, "sample", *claim, "--out", "bad", cwd=folder, home=folder / "home")
    assert bad.returncode == 1, bad.stderr


def test_texts_are_encoded(folder):
    (folder / "texts.txt").write_text("the old man\nof the sea\n")
    options = ("--embedding", "sample", "--words", WORDS, "--epsilon", 5, "--output", "words", "--out", "encoded")
    done = nadp("encode", "--texts", "texts.txt", *options, cwd=folder, home=folder / "home")
    assert done.returncode == 0, done.stderr
    assert pq.read_table(folder / "encoded" / "part-00000.parquet").num_rows == 2


def test_a_codebook_passes_its_audit_and_texts_use_its_partition(folder):
    home, common = folder / "groups", ("--embedding", "sample", "--words", WORDS, "--mechanism", "groups")
    out = ("--out", "book.txt", "--max-one-topic", 1)
    done = nadp("release", *common, "--max-share", 0.3, *out, cwd=folder, home=home)
    assert done.returncode == 0, done.stderr
    claim = ("--certificate", "book.txt.certificate.json", "--strict", "--out", "book-audit")
    done = nadp("audit", "--original", "sample", "--released", "book.txt", *claim, cwd=folder, home=home)
    assert done.returncode == 0, done.stderr
    (folder / "texts.txt").write_text("the old man\nof the sea\n")
    encode = ("encode", "--texts", "texts.txt", *common, "--output", "words", "--out")
    other = nadp(*encode, "others", "--max-share", 0.25, cwd=folder, home=home)
    assert other.returncode == 2
    assert "uses the partition" in other.stderr
    done = nadp(*encode, "grouped", "--partition", "book.txt.partition.npz", cwd=folder, home=home)
    assert done.returncode == 0, done.stderr
    assert pq.read_table(folder / "grouped" / "part-00000.parquet").num_rows == 2


def test_a_calibration_is_that_of_the_library(folder):
    done = nadp("calibrate", "--epsilon", 1, "--delta", 1e-5, "--sensitivity", 2, cwd=folder, home=folder / "home")
    assert f"{2 * noise_multiplier(1, 1e-5):.6g}" in done.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("calibrate", "--epsilon", -1, "--delta", 0.1), "--epsilon"),
        (("release", "--embedding", "nowhere.txt", "--epsilon", 1, "--out", "x.txt"), "nowhere.txt"),
        (("release", "--embedding", "sample", "--epsilon", 1, "--out", "x.unknown"), "x.unknown"),
        (("audit", "--original", "sample", "--released", "sample", "--epsilon", 1), "mechanism"),
        (("encode", "--texts", "nowhere.txt", "--embedding", "sample", "--epsilon", 1, "--out", "x"), "nowhere.txt"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(folder, words, named):
    done = nadp(*words, cwd=folder, home=folder / "home")
    assert done.returncode == 2
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_path_that_cannot_be_used_is_one_line_that_names_it(folder):
    (folder / "file.txt").write_text("")
    claim = ("--mechanism", "nadp", "--epsilon", 5, "--delta", 1e-6, "--words", 50, "--draws", 0)
    audit = ("audit", "--original", "sample", "--released", "sample", *claim, "--out", "file.txt")
    long = ("release", "--embedding", "sample", "--epsilon", 5, "--out", "x" * 300 + ".txt")
    for words, named in ((audit, "file.txt cannot be used: File exists"), (long, "File name too long")):
        done = nadp(*words, cwd=folder, home=folder / "home")
        assert done.returncode == 1
        assert named in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


STARTED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
from nadp.cli.calibrate import Calibrate
from nadp.cli.commands import app, command, start

def run(*_):
    print("begun", flush=True)
    {body}

one = app("x")
one.default(command(Calibrate, run))
start(one)
"""


def started(body):
    command = [sys.executable, "-c", STARTED.format(body=body), "--epsilon", "1", "--delta", "0.1"]
    return subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "stopped by Ctrl-C"), (signal.SIGTERM, 143, "stopped by SIGTERM")]
)
def test_a_command_that_is_stopped_says_so_in_one_line(number, code, said):
    with started("time.sleep(60)") as run:
        assert run.stdout.readline() == "begun\n"
        run.send_signal(number)
        _, told = run.communicate()
    assert run.returncode == code
    assert told.startswith(said)
    assert len(told.splitlines()) == 1


LITTLE_LEFT = (
    "import resource; size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize(); "
    "resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 26),) * 2); "
)


@pytest.mark.parametrize(
    ("error", "before"),
    [
        ("MemoryError('Unable to allocate 9 GiB')", ""),
        ("MemoryError", ""),
        ("ImportError('x.so: failed to map segment from shared object')", LITTLE_LEFT),
        ("OSError(12, 'Cannot allocate memory')", LITTLE_LEFT),
        ("SystemError('error return without exception set')", LITTLE_LEFT),
    ],
)
def test_a_lack_of_memory_is_one_line(error, before):
    with started(f"{before}raise {error}") as run:
        _, told = run.communicate()
    assert run.returncode == 1
    assert ("9 GiB" if "9" in error else "out of memory") in told
    assert len(told.splitlines()) == 1


def test_an_error_with_memory_left_is_no_lack_of_it():
    with started("raise ImportError('x')") as run:
        _, told = run.communicate()
    assert run.returncode == 1
    assert "Traceback" in told
