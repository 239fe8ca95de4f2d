"""Files that are made once. Runs that die at every point: tests of the ledger and of publications of texts."""

import pytest

from nadp import InputError
from nadp.files.durable import sha256_of
from nadp.files.sealing import remove_unsealed, sealing


class StoppedError(Exception):
    """The work ends."""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_ready_file_is_hidden_until_it_is_moved_and_then_moved_once(tmp_path):
    place = tmp_path / "vectors.txt"
    with sealing(tmp_path, lambda: True) as ready:
        file = ready(place, "first")
    assert names(tmp_path) == [file.ready.name]
    assert file.ready.name.startswith(".")
    assert file.sha256 == sha256_of(file.ready)
    for _ in range(2):
        file.settle()
        assert (names(tmp_path), place.read_text()) == (["vectors.txt"], "first")


def stopped(folder, recorded, error):
    """Two files are made ready, and an error ends the work."""
    with sealing(folder, lambda: recorded) as ready:
        ready(folder / "a", "a")
        ready(folder / "b", "b")
        raise error


@pytest.mark.parametrize("error", [StoppedError, KeyboardInterrupt, SystemExit])
def test_work_that_is_stopped_leaves_files_only_if_they_are_recorded(tmp_path, error):
    with pytest.raises(error):
        stopped(tmp_path, False, error)
    assert names(tmp_path) == []
    with pytest.raises(error):
        stopped(tmp_path, True, error)
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == ["a", "b"]


def half_written(folder):
    def write(path):
        path.write_text("half")
        raise StoppedError

    with sealing(folder, lambda: False) as ready:
        ready(folder / "a", "a")
        ready(folder / "b", write)


def test_work_that_is_stopped_while_it_writes_leaves_nothing(tmp_path):
    with pytest.raises(StoppedError):
        half_written(tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("what", ["missing", "changed"])
def test_a_sealed_file_that_is_lost_is_refused_with_its_hash_until_it_is_put_back(tmp_path, what):
    place = tmp_path / "vectors.txt"
    with sealing(tmp_path, lambda: True) as ready:
        file = ready(place, "first")
    file.ready.write_text("other")
    if what == "changed":
        place.write_text("another")
    with pytest.raises(InputError, match=f"{place} is {what}.*{file.sha256}"):
        file.settle()
    place.write_text("first")
    file.settle()
    assert place.read_text() == "first"


def test_what_was_not_recorded_is_removed_for_its_place_only(tmp_path):
    with sealing(tmp_path, lambda: True) as ready:
        kept, orphan, other = (ready(tmp_path / name, name) for name in ("a.txt", "a.txt", "b.txt"))
    remove_unsealed(tmp_path, "a.txt", kept)
    assert names(tmp_path) == sorted([kept.ready.name, other.ready.name])
    remove_unsealed(tmp_path, "a.txt", None)
    assert names(tmp_path) == [other.ready.name]
    assert not orphan.ready.exists()
