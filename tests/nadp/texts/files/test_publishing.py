"""Parts that are made once: what a run leaves that dies at any point, and what is refused."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from nadp import FormatError, InputError
from nadp.files.durable import sha256_of
from nadp.texts.files.publishing import PublishedFolder
from tests.nadp.texts.files.worker import PARTS, PLAN, drawing, life

ROOT = Path(__file__).parents[4]


def worker(*arguments):
    command = [sys.executable, "-m", "tests.nadp.texts.files.worker", *map(str, arguments)]
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=ROOT, env=os.environ | one_thread, check=True, timeout=300)


def parts(folder):
    """What is at the places of the parts."""
    out = folder / "out"
    return {name: (out / name).read_bytes() for name in PARTS if (out / name).exists()}


def draws(folder):
    return {path.read_bytes() for path in (folder / "drawn").iterdir()} if (folder / "drawn").exists() else set()


@dataclass(frozen=True)
class Death:
    """What a killed process left, and what the next one made of it."""

    sealed: dict[str, str]
    moved: dict[str, bytes]
    drawn: int
    made: list[bool]
    there: dict[str, bytes]
    drawn_again: int
    left: list[str]
    other: set[str]


def examined(folder):
    record, moved, drawn = folder / ".out.record", parts(folder), len(draws(folder))
    sealed = {
        name: json.loads(path.read_text())["sha256"] for name in PARTS if (path := record / f"{name}.sealed").exists()
    }
    made, there = life(folder), parts(folder)
    again = life(folder)
    assert (again, parts(folder)) == ([False, False], there)
    left = [
        path.name for path in record.iterdir() if path.suffix not in (".lock", ".sealed") and path.name != "plan.json"
    ]
    other = {path.name for path in (folder / "out").iterdir()} - set(PARTS)
    return Death(sealed, moved, drawn, made, there, len(draws(folder)) - drawn, left, other)


@pytest.fixture(scope="module")
def deaths(tmp_path_factory):
    """Runs killed by SIGKILL before each of the calls that touch the disk; the last one lived."""
    root = tmp_path_factory.mktemp("deaths")
    worker("lives", root)
    return [examined(folder) for folder in sorted(root.iterdir(), key=lambda folder: int(folder.name))]


def test_runs_were_killed_at_every_stage(deaths):
    assert len(deaths) > 60
    stages = {(death.drawn, len(death.sealed), len(death.moved)) for death in deaths}
    assert stages == {(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)}


def test_only_what_was_sealed_is_ever_at_its_place(deaths):
    for death in deaths:
        assert set(death.moved) <= set(death.sealed)


def test_what_was_sealed_when_its_run_died_is_what_the_next_run_puts_there_and_is_not_recomputed(deaths):
    for death in deaths:
        assert death.made == [name not in death.sealed for name in PARTS]
        assert death.drawn_again == sum(death.made)
        assert {name: content for name, content in death.there.items() if name in death.moved} == death.moved


def test_after_every_death_the_output_is_whole_and_nothing_lies_about(deaths):
    for death in deaths:
        assert sorted(death.there) == PARTS
        assert (death.left, death.other) == ([], {"certificate.json"})


def test_the_seal_is_the_hash_of_what_is_there(deaths, tmp_path):
    life(tmp_path)
    for name in PARTS:
        sealed = json.loads((tmp_path / ".out.record" / f"{name}.sealed").read_text())
        assert sealed["sha256"] == sha256_of(tmp_path / "out" / name)
        assert sealed["counts"] == {"texts": 1}
    assert {death.sealed[name] for death in deaths for name in death.sealed}


def test_of_processes_that_run_at_the_same_time_one_makes_each_part(tmp_path):
    worker("together", tmp_path)
    made = [json.loads((tmp_path / f"{number}.json").read_text()) for number in range(6)]
    assert [sum(column) for column in zip(*made, strict=True)] == [1, 1]
    assert draws(tmp_path) == set(parts(tmp_path).values())


@pytest.fixture
def begun(tmp_path):
    publication = PublishedFolder(tmp_path / "out")
    publication.begin(PLAN)
    return publication


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"epsilon": 1.0}, "epsilon was 2.0 and is 1.0"),
        ({"length": 5, "texts": "cd"}, "the texts were others, length was None and is 5"),
        ({"shuffle": True}, "shuffle was None and is True"),
    ],
)
def test_another_plan_is_refused_with_what_differs(begun, other, told):
    for _ in range(2):
        with pytest.raises(InputError, match=re.escape(told)):
            PublishedFolder(begun.out).begin(PLAN | other)
        PublishedFolder(begun.out).begin(PLAN)


def test_a_folder_that_nothing_is_known_of_is_refused(tmp_path):
    (tmp_path / "out").mkdir()
    PublishedFolder(tmp_path / "out").begin(PLAN)  # an empty one is welcome
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "part-00000.parquet").write_text("of an earlier run")
    with pytest.raises(InputError, match="does not describe"):
        PublishedFolder(tmp_path / "old").begin(PLAN)


@pytest.mark.parametrize("how", ["missing", "changed"])
def test_a_part_that_is_gone_or_changed_is_not_recomputed(tmp_path, begun, how):
    (tmp_path / "drawn").mkdir()
    write = drawing(tmp_path / "drawn")
    first, _ = begun.publish(PARTS[0], write)
    place, content = begun.out / PARTS[0], (begun.out / PARTS[0]).read_bytes()
    place.unlink()
    if how == "changed":
        place.write_bytes(content[:-1])
    for _ in range(2):
        with pytest.raises(InputError, match=f"{PARTS[0]} is {how}.*{first.sha256}"):
            begun.publish(PARTS[0], write)
    assert len(draws(tmp_path)) == 1
    assert begun.publish(PARTS[1], write)[1]
    place.write_bytes(content)
    assert begun.publish(PARTS[0], write) == (first, False)


def test_an_output_that_was_removed_whole_is_not_recomputed_either(tmp_path):
    life(tmp_path)
    shutil.rmtree(tmp_path / "out")
    with pytest.raises(InputError, match="is missing"):
        life(tmp_path)
    shutil.rmtree(tmp_path / ".out.record")
    with pytest.raises(InputError, match="does not describe"):
        life(tmp_path)
    shutil.rmtree(tmp_path / "out")
    assert life(tmp_path) == [True, True]


def test_a_file_that_is_not_one_of_ours_is_not_replaced(begun):
    (begun.out / PARTS[0]).write_text("a letter")
    with pytest.raises(InputError, match="is in the way"):
        begun.publish(PARTS[0], lambda path: {})  # noqa: ARG005 - never called
    assert (begun.out / PARTS[0]).read_text() == "a letter"


def test_a_part_whose_making_failed_leaves_nothing_and_is_made_by_the_next(tmp_path, begun):
    (tmp_path / "drawn").mkdir()

    def failing(path):
        path.write_text("half")
        raise InputError("text 3 is too long")

    with pytest.raises(InputError, match="text 3"):
        begun.publish(PARTS[0], failing)
    assert not list(begun.out.iterdir())
    assert not list(begun.record.glob("*.part"))
    assert begun.publish(PARTS[0], drawing(tmp_path / "drawn"))[1]


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000])
def test_a_damaged_record_is_refused_by_name(begun, content):
    begun.publish(PARTS[0], lambda path: {"tokens": path.write_bytes(b"x")})
    for name in (f"{PARTS[0]}.sealed", "plan.json"):
        (begun.record / name).write_text(content)
    with pytest.raises(FormatError, match=rf"\.record/{PARTS[0]}\.sealed"):
        begun.publish(PARTS[0], lambda _: {})
    with pytest.raises(FormatError, match=r"\.record/plan\.json"):
        begun.begin(PLAN)


def test_a_record_that_names_files_elsewhere_touches_none_of_them(tmp_path, begun):
    begun.publish(PARTS[0], lambda path: {"tokens": path.write_bytes(b"x")})
    (begun.out / PARTS[0]).unlink()
    (tmp_path / "mine").write_bytes(b"x")
    file = begun.record / f"{PARTS[0]}.sealed"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"ready": "../mine"}))
    with pytest.raises(InputError, match="is missing"):
        begun.publish(PARTS[0], lambda _: {})
    assert (tmp_path / "mine").exists()


def test_the_record_is_for_its_owner_only(begun):
    assert begun.record.stat().st_mode & 0o077 == 0
    assert begun.record.parent == begun.out.parent


def test_an_output_that_cannot_be_written_is_refused_by_name(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        PublishedFolder(tmp_path / "file" / "out").begin(PLAN)


@pytest.mark.skipif(not Path("/proc").is_mount(), reason="needs a mounted file system")
def test_a_whole_file_system_is_refused_since_its_record_would_be_elsewhere():
    with pytest.raises(InputError, match="the root of a file system"):
        PublishedFolder(Path("/proc")).begin(PLAN)
