"""Records as Prefect itself writes them: these tests fail when a version of Prefect writes them in another way."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace

import prefect
import pytest
from prefect.filesystems import LocalFileSystem
from prefect.results import ResultStore, resolve_serializer
from prefect.serializers import JSONSerializer, PickleSerializer
from prefect.states import Completed

from tasks.space import Space, neighbour_graph
from tasks.store.artefacts import stored
from tasks.store.caching import CACHED
from tasks.store.records import RESULTS, UnknownLayoutError, _artefacts, _result, drop_if_damaged, record_of


def written(key, result):
    """Let Prefect keep a result as it does for our tasks, and return its record in memory."""
    storage = LocalFileSystem(basepath=str(CACHED["result_storage"]))
    store = ResultStore(result_storage=storage, serializer=resolve_serializer(CACHED["result_serializer"]))
    record = store.create_result_record(result, key=key)
    store.persist_result_record(record)
    return record


@pytest.fixture
def files(home):  # noqa: ARG001 - they lie there
    return [stored(text, ".txt") for text in ("one", "two", "three")]


def key_of(files):
    task = SimpleNamespace(task=neighbour_graph)
    return CACHED["cache_policy"].compute_key(task, {"neighbours": files[0], "tau": 0.1, "adjacency": 2}, {})


FORMS = {
    "dataclass": lambda files: Space(*files),
    "list": list,
    "nested": lambda files: {"a": [{"b": files[0]}, Space(*files)]},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_record_lies_where_we_look_for_it_and_refers_to_the_files_that_we_find_in_it(files, form):
    record = written("found", form(files))
    file = RESULTS / "found"
    assert file.is_file()
    assert record_of(Completed(data=record)) == file
    assert set(_artefacts(_result(file.read_bytes()))) == set(files)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_record_whose_files_are_intact_is_kept(files, form):
    written("kept", form(files))
    drop_if_damaged(RESULTS / "kept")
    assert (RESULTS / "kept").exists()


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("owt")], ids=["gone", "changed"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_record_with_a_file_that_is_gone_or_changed_is_dropped_and_the_log_tells(files, damage, form, caplog):
    written("dropped", form(files))
    damage(Path(files[0].path))
    with caplog.at_level(logging.WARNING):
        drop_if_damaged(RESULTS / "dropped")
    assert not (RESULTS / "dropped").exists()
    assert files[0].path in caplog.text
    assert files[2].path not in caplog.text


def test_a_record_that_refers_to_no_file_is_kept():
    written("plain", {"path": "/nowhere", "value": [1, None, "x", float("nan")]})
    drop_if_damaged(RESULTS / "plain")
    assert (RESULTS / "plain").exists()


@pytest.mark.parametrize("content", ["", "{", '{"metadata": {"serializer": {}}', "\0"])
def test_a_record_that_is_none_is_dropped_and_the_log_tells(tmp_path, content, caplog):
    record = tmp_path / "record"
    record.write_text(content)
    drop_if_damaged(record)
    assert not record.exists()
    assert record.name in caplog.text


@pytest.mark.parametrize(
    "content", ["[]", '{"result": "1"}', '{"metadata": {}, "result": "1"}', '{"result": 1, "meta": 2}']
)
def test_a_record_of_a_layout_that_nobody_knows_is_an_error_and_stays(tmp_path, content):
    record = tmp_path / "record"
    record.write_text(content)
    with pytest.raises(UnknownLayoutError, match=prefect.__version__):
        drop_if_damaged(record)
    assert record.read_text() == content


class Trap:
    """Its unpickling calls a function."""

    def __reduce__(self):
        return exec, ("import builtins; builtins.trapped = True",)


@pytest.mark.parametrize("serializer", [PickleSerializer(), JSONSerializer(jsonlib="pickle")], ids=["pickle", "json"])
def test_a_record_that_would_run_code_is_dropped_before_anybody_reads_it(serializer):
    text = PickleSerializer().dumps(Trap()).decode()
    record = written("trap", {"a": 1})
    outer = record.model_copy(update={"result": text}).model_dump(mode="json", serialize_as_any=True)
    outer["metadata"]["serializer"] = serializer.model_dump(mode="json")
    (RESULTS / "trap").write_text(json.dumps(outer))
    drop_if_damaged(RESULTS / "trap")
    assert not (RESULTS / "trap").exists()
    assert not hasattr(__builtins__, "trapped")


@pytest.mark.parametrize("name", ["tasks.space.Gone", "tasks.gone.Space", "os.system", "subprocess.Popen"])
@pytest.mark.parametrize("form", ["__class__", "__exc_type__"])
def test_a_record_with_an_object_of_a_class_that_is_none_of_ours_is_dropped(files, name, form):
    written("class", {form: name, "data": {}, "message": "", "files": files[1:]})
    drop_if_damaged(RESULTS / "class")
    assert not (RESULTS / "class").exists()


def test_no_record_is_no_harm(tmp_path):
    drop_if_damaged(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_the_key_of_a_task_drops_its_damaged_record(files):
    key = key_of(files)
    written(key, files[2])
    assert key_of(files) == key
    assert (RESULTS / key).exists()
    Path(files[2].path).unlink()
    assert key_of(files) == key
    assert not (RESULTS / key).exists()
