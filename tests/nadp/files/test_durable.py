"""One write for all that is published: whole or not at all, whoever is killed when."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nadp.files.durable import make_private, move, new_file, put, sha256_of

TEXT = "größer\n"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path):
    (tmp_path / "file").write_bytes(TEXT.encode())
    assert sha256_of(tmp_path / "file") == hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.mark.parametrize("content", [TEXT, TEXT.encode(), lambda path: path.write_bytes(TEXT.encode())])
def test_a_file_is_replaced_as_a_whole(tmp_path, content):
    path = tmp_path / "new" / "report.html"
    put(path, "something much longer than what comes")
    put(path, content)
    assert path.read_bytes() == TEXT.encode()
    assert names(path.parent) == ["report.html"]


def failing(path):
    path.write_text("half")
    raise KeyboardInterrupt


@pytest.mark.parametrize(("content", "error"), [("\ud800", UnicodeEncodeError), (failing, KeyboardInterrupt)])
def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, content, error):
    path = tmp_path / "report.html"
    put(path, TEXT)
    with pytest.raises(error):
        put(path, content)
    assert path.read_bytes() == TEXT.encode()
    assert names(tmp_path) == ["report.html"]


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory"):
        put(tmp_path / "folder", TEXT)
    assert names(tmp_path) == ["folder"]


def test_a_new_file_may_be_read_by_whom_other_files_may_and_a_replaced_one_by_whom_it_could(tmp_path):
    ordinary, own = tmp_path / "ordinary", tmp_path / "own"
    ordinary.touch()
    put(tmp_path / "new", TEXT)
    assert (tmp_path / "new").stat().st_mode == ordinary.stat().st_mode
    own.touch(mode=0o600)
    put(own, TEXT)
    assert own.stat().st_mode & 0o777 == 0o600


def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "target"
    link.symlink_to(target)
    put(link, "first")
    put(link, TEXT)
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == TEXT
    assert names(target.parent) == ["target"]


def test_the_writer_of_a_file_sees_its_ending(tmp_path):
    seen = []

    def write(path):
        seen.append(path.name)
        path.touch()

    put(tmp_path / "table.6B.txt.gz", write)
    put(tmp_path / "plain", write)
    assert [name[name.find(".", 1) :] for name in seen] == [".txt.gz", seen[1][-1:]]


def test_a_new_file_is_gone_at_the_end_even_if_it_was_moved(tmp_path):
    with new_file(tmp_path, ".txt") as path:
        path.write_text("x")
        assert path.parent == tmp_path
    assert names(tmp_path) == []
    with new_file(tmp_path, ".txt") as path:
        move(path, tmp_path / "kept")
    assert names(tmp_path) == ["kept"]


WRITE = """
import sys
from pathlib import Path
from nadp.files.durable import put

def write(path):
    path.write_bytes(b"half")
    print(path, flush=True)
    sys.stdin.read()

put(Path(sys.argv[1]), write)
"""


def test_what_a_killed_process_had_begun_is_removed_by_the_next_but_not_what_one_is_still_writing(tmp_path):
    def command(name):
        return [sys.executable, "-c", WRITE, tmp_path / name]

    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command("a"), **piped) as killed, subprocess.Popen(command("b"), **piped) as alive:
        parts = [Path(process.stdout.readline().rstrip()) for process in (killed, alive)]
        killed.kill()
        killed.wait()
        assert all(part.read_bytes() == b"half" for part in parts)
        put(tmp_path / "c", TEXT)
        assert set(names(tmp_path)) == {parts[1].name, "c"}
        alive.communicate("")
    assert alive.returncode == 0
    assert names(tmp_path) == ["b", "c"]


DIES = """
import os, signal, sys
from pathlib import Path
from nadp.files.durable import put
path, touching = Path(sys.argv[1]), sys.argv[2].split(",")
for last in range(100):
    pid = os.fork()
    if not pid:
        left = [last]
        def dies(frame, event, function):
            if event == "c_call" and function.__name__ in touching:
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                left[0] -= 1
        sys.setprofile(dies)
        put(path, b"new" * 1000)
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    print(status, path.read_bytes()[:3].decode(), flush=True)
    if not status:
        break
"""
TOUCHING = "mkdir,open,flock,fstat,write,fsync,close,replace,rename,chmod,unlink,stat,lstat,readlink,scandir"


def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file_whole_or_the_new_one(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old" * 1000)
    done = subprocess.run([sys.executable, "-c", DIES, path, TOUCHING], capture_output=True, text=True, check=True)
    seen = [line.split() for line in done.stdout.splitlines()]
    assert [int(status) for status, _ in seen] == [signal.SIGKILL] * (len(seen) - 1) + [0]
    assert len(seen) > 12
    states = [state for _, state in seen]
    assert states == sorted(states, reverse=True)  # old until it is new
    assert states.count("old") > 5
    assert path.read_bytes() == b"new" * 1000
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable to root")
def test_a_folder_that_cannot_be_written_keeps_its_files(tmp_path):
    put(tmp_path / "file", TEXT)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            put(tmp_path / "file", "other")
        assert names(tmp_path) == ["file"]
    finally:
        tmp_path.chmod(0o700)


def mode(path):
    return path.stat().st_mode & 0o777


def test_a_private_file_can_be_read_by_its_owner_only_from_its_first_byte_on(tmp_path):
    seen = []
    put(tmp_path / "private", lambda part: (seen.append(mode(part)), part.write_text(TEXT)), private=True)
    assert [*seen, mode(tmp_path / "private")] == [0o600, 0o600]


@pytest.mark.parametrize(
    ("before", "after"), [(None, 0o600), (0o644, 0o600), (0o666, 0o660), (0o664, 0o660), (0o660, 0o660), (0o600, 0o600)]
)
def test_a_file_is_closed_to_all_but_its_owner_and_a_group_that_shares_it(tmp_path, before, after):
    path = tmp_path / "file"
    if before is not None:
        path.write_text(TEXT)
        path.chmod(before)
    make_private(path)
    assert mode(path) == after
    assert path.read_text() == ("" if before is None else TEXT)
