import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from prefect.results import ResultRecord, ResultRecordMetadata
from prefect.serializers import JSONSerializer

from nadp.experiment.curves import Curve
from tasks.space import Space, annoy_index, neighbour_graph
from tasks.store.artefacts import Artefact, stored
from tasks.store.caching import CACHED, RESULTS, drop_if_damaged, plain, source_digest

ROOT = Path(__file__).parents[3]
PACKAGES = ("nadp", "tasks")


@dataclass(frozen=True)
class Point:
    x: float


@dataclass(frozen=True)
class Place:
    x: float


def key(task, **inputs):
    return CACHED["cache_policy"].compute_key(SimpleNamespace(task=task), inputs, {})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (np.float64(0.1), 0.1),
        ((1, "a"), [1, "a"]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Curve("nadp", 1, "exact"), Curve("nadp", 1.0, "exact")),
        (Artefact("/here", "0" * 64, 3), Artefact("/there", "0" * 64, 3)),
    ],
)
def test_equal_inputs_have_one_form(one, other):
    assert json.dumps(plain(one), sort_keys=True) == json.dumps(plain(other), sort_keys=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, None),
        ("1", 1),
        (0.1, 0.1 + 1e-16),
        (2**53, 2**53 + 1),
        ([1, 2], [2, 1]),
        ([["a"], "b"], ["a", ["b"]]),
        (Point(1), Place(1)),
        (Curve("nadp", 0.1), Curve("nadp", 0.2)),
        (Artefact("/here", "0" * 64, 3), Artefact("/here", "1" * 64, 3)),
    ],
)
def test_different_inputs_have_different_forms(one, other):
    assert json.dumps(plain(one), sort_keys=True) != json.dumps(plain(other), sort_keys=True)


@pytest.mark.parametrize(
    "value", [{1, 2}, np.zeros(2), Path("/here"), b"bytes", [np.int64(1)], {"a": frozenset()}], ids=repr
)
def test_what_has_no_stable_form_is_refused_by_its_type(value):
    with pytest.raises(TypeError, match=r"a task input of type \w+ has no stable form for a cache key"):
        plain(value)


def test_a_key_depends_on_the_task_and_on_its_inputs_but_not_on_where_files_lie():
    here, there = Artefact("/here", "0" * 64, 3), Artefact("/there", "0" * 64, 3)
    first = key(neighbour_graph, neighbours=here, tau=0.1, adjacency=2)
    assert first == key(neighbour_graph, adjacency=2.0, tau=0.1, neighbours=there)
    others = [
        key(neighbour_graph, neighbours=here, tau=0.2, adjacency=2),
        key(neighbour_graph, neighbours=replace(here, sha256="1" * 64), tau=0.1, adjacency=2),
        key(annoy_index, neighbours=here, tau=0.1, adjacency=2),
    ]
    assert len({first, *others}) == 4


def record_of(key, result):
    """Return the file of a record that Prefect itself has written down."""
    serializer = JSONSerializer()
    metadata = ResultRecordMetadata(serializer=serializer, storage_key=key)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / key).write_bytes(ResultRecord(result=result, metadata=metadata).serialize())
    return RESULTS / key


@pytest.fixture
def files(home):  # noqa: ARG001 - they lie there
    return [stored(text, ".txt") for text in ("one", "two", "three")]


def test_a_record_whose_files_are_intact_is_kept(files):
    record = record_of("kept", Space(*files))
    drop_if_damaged(record)
    assert record.exists()


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("owt")], ids=["gone", "changed"])
@pytest.mark.parametrize(
    "form",
    [lambda f: Space(*f), list, lambda f: f[1], lambda f: {"a": [{"b": f[1]}]}],
    ids=["dataclass", "list", "file", "nested"],
)
def test_a_record_with_a_file_that_is_gone_or_changed_is_dropped(files, damage, form):
    record = record_of("dropped", form(files))
    damage(Path(files[1].path))
    drop_if_damaged(record)
    assert not record.exists()


def test_a_record_that_refers_to_no_file_is_kept():
    record = record_of("plain", {"path": "/nowhere", "value": [1, None, "x"]})
    drop_if_damaged(record)
    assert record.exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"result": 1}', '{"metadata": {}}'])
def test_a_record_that_is_none_is_dropped(tmp_path, content):
    record = tmp_path / "record"
    record.write_text(content)
    drop_if_damaged(record)
    assert not record.exists()


def test_no_record_is_no_harm(tmp_path):
    drop_if_damaged(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_the_key_of_a_task_drops_its_damaged_record(files):
    inputs = {"neighbours": files[0], "tau": 0.1, "adjacency": 2}
    record = record_of(key(neighbour_graph, **inputs), files[2])
    assert key(neighbour_graph, **inputs) == record.name
    assert record.exists()
    Path(files[2].path).unlink()
    assert key(neighbour_graph, **inputs) == record.name
    assert not record.exists()


def test_a_module_of_others_has_no_source_of_ours():
    assert source_digest("json") == source_digest("numpy.linalg") != source_digest("tasks.store.home")


EDITS = {
    "nadp.graph": ["tasks.space", "tasks.evaluation", "tasks.reporting"],
    "nadp.search": ["tasks.space", "tasks.evaluation", "tasks.reporting"],
    "nadp.utility.correlation": ["tasks.evaluation", "tasks.reporting"],
    "nadp.report.figures": ["tasks.reporting"],
    "tasks.sources.retries": ["tasks.evaluation", "tasks.reporting", "tasks.sources.downloads"],
    "tasks.store.caching": ["tasks.space", "tasks.evaluation", "tasks.reporting"],
}
"""Modules, and those of `WATCHED` that import them, directly or not."""
WATCHED = ["tasks.space", "tasks.evaluation", "tasks.reporting", "tasks.sources.downloads"]
_PROGRAM = """
import importlib.util, json, sys
from pathlib import Path
from tasks.store.caching import source_digest

def digests():
    source_digest.cache_clear()
    return {module: source_digest(module) for module in watched}

edits, watched = (argument.split(",") for argument in sys.argv[1:])
before, changed = digests(), {}
for edited in edits:
    file = Path(importlib.util.find_spec(edited).origin)
    assert file.is_relative_to(Path.cwd())
    text = file.read_bytes()
    file.write_bytes(text + b"# edited")
    changed[edited] = [module for module, digest in digests().items() if digest != before[module]]
    file.write_bytes(text)
assert digests() == before
print(json.dumps(changed))
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """For each module that is edited, in a copy: the modules whose digest becomes another one."""
    copy = tmp_path_factory.mktemp("copy")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-c", _PROGRAM, ",".join(EDITS), ",".join(WATCHED)]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("edited", EDITS)
def test_an_edit_changes_the_digest_of_what_imports_it_and_of_nothing_else(changed, edited):
    assert changed[edited] == EDITS[edited]


def overlooked(node):
    """Return whether the digest does not follow an import: it is relative, or of a name that a package gathers."""
    if isinstance(node, ast.Import):
        return any(alias.name in PACKAGES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        named = [f"{node.module}.{alias.name}" for alias in node.names]
        return node.level > 0 or (node.module in PACKAGES and not all(map(importlib.util.find_spec, named)))
    return False


def test_no_import_is_of_a_form_that_the_digest_overlooks():
    files = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    trees = {str(file): ast.walk(ast.parse(file.read_text(encoding="utf-8"))) for file in files}
    assert [file for file, nodes in trees.items() if any(map(overlooked, nodes))] == []
