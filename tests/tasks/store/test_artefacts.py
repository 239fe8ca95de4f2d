import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.store.artefacts import artefact, digest, loaded, replaced, scratch, stored, stored_text

TEXT = "größer\n"
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_stored_file_is_named_by_its_content(home):
    found = stored_text(TEXT, ".json")
    assert found.path == str(home / "artefacts" / f"{SHA256}.json")
    assert (found.sha256, found.size) == (SHA256, len(TEXT.encode()))
    assert Path(found.path).read_bytes() == TEXT.encode()
    assert found.is_intact()
    assert found == artefact(Path(found.path))
    assert digest(Path(found.path)) == SHA256


def test_equal_contents_are_one_file_and_nothing_else_is_left(home):
    assert stored_text(TEXT, ".json") == stored_text(TEXT, ".json")
    stored_text("other", ".json")
    assert len(list((home / "artefacts").iterdir())) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(path.read_bytes() + b"\n"),
        lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["cut", "longer", "one bit", "removed", "a folder"],
)
def test_a_damaged_file_is_not_intact_until_it_is_stored_again(home, damage):  # noqa: ARG001
    found = stored_text(TEXT, ".txt")
    damage(Path(found.path))
    assert not found.is_intact()
    if Path(found.path).is_dir():
        Path(found.path).rmdir()
    assert stored_text(TEXT, ".txt") == found
    assert found.is_intact()


def test_a_file_that_could_not_be_written_leaves_nothing(home):
    def write(path):
        path.write_text("half")
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        stored(write, ".npz")
    assert list((home / "artefacts").iterdir()) == []


def test_a_writer_sees_a_name_with_the_ending_it_asked_for(home):  # noqa: ARG001
    seen = []
    found = stored(lambda path: (seen.append(path), path.write_bytes(b"x")), ".npz")
    assert [path.suffix for path in seen] == [".npz"]
    assert not seen[0].exists()
    assert Path(found.path).suffix == ".npz"


def test_a_scratch_file_is_gone_at_the_end_even_if_it_was_moved(tmp_path):
    with scratch(tmp_path, ".txt") as path:
        path.write_text("x")
        assert path.parent == tmp_path
    assert list(tmp_path.iterdir()) == []
    with scratch(tmp_path, ".txt") as path:
        path.replace(tmp_path / "kept")
    assert [file.name for file in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("content", [TEXT, TEXT.encode()])
def test_a_file_is_replaced_as_a_whole(tmp_path, content):
    path = tmp_path / "new" / "report.html"
    replaced(path, "something much longer than what comes")
    replaced(path, content)
    assert path.read_bytes() == TEXT.encode()
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path):
    path = tmp_path / "report.html"
    replaced(path, TEXT)
    with pytest.raises(UnicodeEncodeError):
        replaced(path, "\ud800")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        replaced(folder, TEXT)
    assert path.read_bytes() == TEXT.encode()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "report.html"]


def test_a_replaced_file_may_be_read_by_whom_other_files_may(tmp_path):
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    replaced(tmp_path / "report.html", TEXT)
    assert (tmp_path / "report.html").stat().st_mode == ordinary.stat().st_mode


def test_an_artefact_is_loaded_once(home):  # noqa: ARG001
    reads = []

    def load(path):
        reads.append(path)
        return path.read_text(encoding="utf-8")

    found = stored_text(TEXT, ".txt")
    assert [loaded(found, load), loaded(replace(found), load)] == [TEXT, TEXT]
    assert len(reads) == 1
    assert loaded(stored_text("other", ".txt"), load) == "other"


WRITE = """
import sys
from pathlib import Path
from tasks.store.artefacts import stored

def write(path):
    path.write_bytes(b"half")
    print(path, flush=True)
    sys.stdin.read()

stored(write, ".npz")
"""


def test_what_a_killed_process_had_begun_is_removed_by_the_next_but_not_what_one_is_still_writing(home):
    command = [sys.executable, "-c", WRITE]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **piped) as killed, subprocess.Popen(command, **piped) as alive:
        parts = [Path(process.stdout.readline().rstrip()) for process in (killed, alive)]
        killed.kill()
        killed.wait()
        assert all(part.read_bytes() == b"half" for part in parts)
        found = stored_text(TEXT, ".json")
        assert {path.name for path in (home / "artefacts").iterdir()} == {parts[1].name, f"{SHA256}.json"}
        alive.communicate("")
    assert alive.returncode == 0
    assert found.is_intact()
    half = hashlib.sha256(b"half").hexdigest()
    assert {path.name for path in (home / "artefacts").iterdir()} == {f"{half}.npz", f"{SHA256}.json"}
