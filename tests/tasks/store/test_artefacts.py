import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from nadp.files.durable import sha256_of
from tasks.store.artefacts import artefact, loaded, stored

TEXT = "größer\n"
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_stored_file_is_named_by_its_content(home):
    found = stored(TEXT, ".json")
    assert found.path == str(home / "artefacts" / f"{SHA256}.json")
    assert (found.sha256, found.size) == (SHA256, len(TEXT.encode()))
    assert Path(found.path).read_bytes() == TEXT.encode()
    assert found.is_intact()
    assert found == artefact(Path(found.path))
    assert sha256_of(Path(found.path)) == SHA256


def test_equal_contents_are_one_file_and_nothing_else_is_left(home):
    assert stored(TEXT, ".json") == stored(TEXT, ".json")
    stored("other", ".json")
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
    found = stored(TEXT, ".txt")
    damage(Path(found.path))
    assert not found.is_intact()
    if Path(found.path).is_dir():
        Path(found.path).rmdir()
    assert stored(TEXT, ".txt") == found
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


def test_an_artefact_is_loaded_once(home):  # noqa: ARG001
    reads = []

    def load(path):
        reads.append(path)
        return path.read_text(encoding="utf-8")

    found = stored(TEXT, ".txt")
    assert [loaded(found, load), loaded(replace(found), load)] == [TEXT, TEXT]
    assert len(reads) == 1
    assert loaded(stored("other", ".txt"), load) == "other"
