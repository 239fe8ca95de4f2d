"""Whether an edit of the code makes a task run again: it must where the answer may change, and must not elsewhere."""

import ast
import itertools
import os
import sys
import threading
from pathlib import Path

import pytest

from nadp.experiment.curves import Curve
from tasks.embedding import download_glove, frequency_filter_vocab
from tasks.evaluation import privacy
from tasks.perturbation import draw, perturb
from tasks.space import annoy_index, components, neighbour_graph
from tasks.store import source
from tasks.store.home import home

ROOT = Path(__file__).parents[3]
TASK = "tasks.job:job"
FILES = {
    "nadp/__init__.py": "",
    "nadp/__init__.pyi": "from .lazy import lazy_name\n",
    "nadp/core.py": '"""Core."""\n\nTHREE = 3\n\n\ndef core(x, y=1):\n    """Add."""\n    return x + y * THREE\n',
    "nadp/lazy.py": "lazy_name = 1\n",
    "nadp/inner.py": "def inner():\n    return 1\n",
    "nadp/named.py": "VALUE = 1\n",
    "nadp/typed.py": "class Typed:\n    x: int = 1\n",
    "nadp/unused.py": "VALUE = 1\n",
    "nadp/either.py": "def either(x):\n    return x\n",
    "nadp/room/__init__.py": "def __getattr__(name):\n    return name\n",
    "nadp/room/__init__.pyi": "from .exact import search\n",
    "nadp/room/exact.py": "search = 1\n",
    "nadp/room/templates/page.j2": "one",
    "nadp/room/other/page.j2": "one",
    "nadp/runtime/progress.py": "VALUE = 1\n",
    "tasks/store/keeping.py": "def kept(x):\n    return x\n",
    "tasks/faces/__init__.py": "from tasks.faces.parts import part, other\n",
    "tasks/faces/parts.py": "import numpy\n\ndef part(x):\n    return x + 1\ndef other(x):\n    return numpy.abs(x)\n",
    "tasks/job.py": """
import sklearn.svm
import prefect
from nadp import unused
from nadp.core import core
from nadp.room import search
from nadp.runtime import progress
from tasks import faces
from tasks.faces import part
from tasks.store.keeping import kept

PLACE = "nadp.named:VALUE"
FACTOR = 2


def decorated(f):
    return f


if FACTOR:
    def either(x):
        return x
else:
    from nadp.either import either
FIRST, *LAST = (1, 2)

@decorated
@prefect.task(progress)
def job(x: "Typed", *, y=FACTOR):
    '''Do it.'''
    from nadp.inner import inner  # when it is needed
    return kept(part(core(x, y) + inner() + helper(x, PLACE)) + search) + either(x) + later(LAST)


async def later(x):
    return x


def helper(x, y):
    from nadp.typed import Typed
    return (x - 1) * 2 if x else Typed


def unrelated(x):
    return unused + sklearn.svm + faces + x
""",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A function that edits a file of a small project and returns the digest of its task."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(source, "_PACKAGES", {name: tmp_path / name for name in ("nadp", "tasks")})

    times = itertools.count()

    def forget():
        for remembered in (
            source._state_of_files,
            source._statements,
            source._digests_beside,
            source.source_of,
            source.source_digest,
        ):
            remembered.cache_clear()

    def digest(name=None, old="", new="", entry=TASK):
        if name is not None:
            text = FILES[name]
            assert text.count(old) == 1 or not old
            (tmp_path / name).write_text(text.replace(old, new) if old else text + new)
            os.utime(tmp_path / name, (0, next(times)))  # a file system's clock may be slower than this test
        forget()
        return source.source_digest(entry)

    yield digest
    forget()


def test_a_digest_is_kept_until_a_file_changes(project, monkeypatch):
    first = project()
    with monkeypatch.context() as patched:
        patched.setattr(source, "covered", None)  # would fail
        assert project() == first
    changed = project("nadp/core.py", "THREE = 3", "THREE = 4")
    assert changed != first
    (kept,) = (home() / "sources").rglob("*.json")  # and none of the first state
    kept.write_text("[")
    assert project() == changed


CHANGES = {
    "a constant": ("nadp/core.py", "THREE = 3", "THREE = 3.0"),
    "an operator": ("nadp/core.py", "x + y", "x - y"),
    "a default": ("nadp/core.py", "y=1", "y=2"),
    "a new statement": ("nadp/core.py", "", "THREE += 1\n"),
    "a module imported in a function": ("nadp/inner.py", "return 1", "return 2"),
    "a module named in a string": ("nadp/named.py", "1", "2"),
    "a module that the stub of a package names": ("nadp/room/exact.py", "1", "2"),
    "the stub of a package": ("nadp/room/__init__.pyi", ".exact", ".inner"),
    "a package that imports on demand": ("nadp/room/__init__.py", "return name", "return name * 2"),
    "a template of a package": ("nadp/room/templates/page.j2", "one", "two"),
    "a class": ("nadp/typed.py", "int = 1", "int = 2"),
    "the task": ("tasks/job.py", "core(x, y) + inner()", "core(x, y) - inner()"),
    "its decorator": ("tasks/job.py", "    return f\n", "    return f.fn\n"),
    "its default": ("tasks/job.py", "FACTOR = 2", "FACTOR = 3"),
    "its helper": ("tasks/job.py", "(x - 1) * 2", "x - 1 * 2"),
    "what it imports": ("tasks/job.py", "from nadp.core import core", "from nadp.inner import inner as core"),
    "what it imports through a package": ("tasks/faces/parts.py", "x + 1", "x + 2"),
    "what is defined under a condition": ("tasks/job.py", "        return x\n", "        return -x\n"),
    "what is imported under a condition": ("nadp/either.py", "return x", "return -x"),
    "one of several values": ("tasks/job.py", "(1, 2)", "(1, 3)"),
    "an asynchronous helper": ("tasks/job.py", "later(x):\n    return x", "later(x):\n    return -x"),
    "a statement that names nothing": ("tasks/job.py", "", "print(1)\n"),
}
NO_CHANGES = {
    "a comment": ("nadp/core.py", "THREE = 3", "THREE = 3  # why"),
    "a docstring": ("nadp/core.py", '"""Add."""', '"""Subtract."""'),
    "no docstring": ("nadp/core.py", '    """Add."""\n', ""),
    "a module's docstring": ("nadp/core.py", '"""Core."""', '"""More."""'),
    "a string below a constant": ("nadp/core.py", "THREE = 3", 'THREE = 3\n"""Of something."""'),
    "lines and brackets": ("nadp/core.py", "x + y * THREE", "(\n        x + (y * THREE)\n    )"),
    "quotes": ("tasks/job.py", '"nadp.named:VALUE"', "'nadp.named:VALUE'"),
    "the task's docstring": ("tasks/job.py", "Do it.", "Do it well."),
    "how results are kept": ("tasks/store/keeping.py", "return x", "return [x][0]"),
    "where they are kept": ("tasks/job.py", "from tasks.store.keeping import kept", "from tasks.store import kept"),
    "how progress is shown": ("nadp/runtime/progress.py", "1", "2"),
    "another task": ("tasks/job.py", "+ faces + x", "- faces - x"),
    "what only another task imports": ("nadp/unused.py", "1", "2"),
    "another name of a package": ("tasks/faces/parts.py", "abs(x)", "abs(-x)"),
    "a file that is no template": ("nadp/room/other/page.j2", "one", "two"),
    "what nobody imports": ("nadp/lazy.py", "1", "2"),
}


@pytest.mark.parametrize("edit", CHANGES.values(), ids=CHANGES)
def test_an_edit_of_what_computes_changes_the_digest(project, edit):
    before = project()
    assert project(*edit) != before


@pytest.mark.parametrize("edit", NO_CHANGES.values(), ids=NO_CHANGES)
def test_an_edit_of_what_computes_nothing_leaves_the_digest(project, edit):
    before = project()
    assert project(*edit) == before


def test_a_report_depends_on_its_templates_and_its_font():
    code, packages = source.covered("tasks.reporting:render_report")
    files = {path.name for folder in ("templates", "fonts") for path in (ROOT / "nadp" / "report" / folder).iterdir()}
    assert {line.partition(" ")[0] for line in code["nadp.report:"]} >= files
    assert {"jinja2", "resvg_py"} <= packages


def test_who_imports_from_the_root_depends_on_all_that_the_root_names(project):
    before = project(entry="nadp:anything")
    assert project("nadp/lazy.py", "1", "2", entry="nadp:anything") != before


def test_only_the_packages_that_are_used_count_with_their_versions(project, monkeypatch):
    newer = {"numpy": "1"}
    asked = set()

    def versions(*packages):
        asked.update(packages)
        return {package: newer.get(package, "0") for package in packages}

    monkeypatch.setattr(source, "versions", versions)
    whole = project(entry="tasks.job")
    assert asked == {"numpy", "scikit-learn"}
    job = project()
    newer.update({"numpy": "2", "prefect": "2"})
    assert project(entry="tasks.job") != whole
    assert project() == job  # it uses a function beside which numpy is imported, but not numpy


def test_code_of_others_has_no_digest_but_its_version():
    assert source.covered("json", "numpy.linalg") == ({}, {"numpy"})
    assert source.source_digest("json") != source.source_digest("numpy.linalg")


def called(function, *arguments):
    """All code of ours that a call executes, on whatever thread: as modules of nadp, and names in modules of tasks."""
    codes = set()

    def note(frame, event, _):
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    files = {code: Path(code.co_filename) for code in codes}
    ours = {code: file.relative_to(ROOT).with_suffix("") for code, file in files.items() if file.is_relative_to(ROOT)}
    names = {(".".join(path.parts).removesuffix(".__init__"), code.co_qualname) for code, path in ours.items()}
    package = {entry for entry in names if entry[0].split(".")[0] in ("nadp", "tasks")}
    return result, {f"{m}:{name.split('.')[0] if m.startswith('tasks') else ''}" for m, name in package}


def test_all_code_that_a_task_executes_is_covered(home):  # noqa: ARG001 - all files go there
    curve, counts = Curve("nadp", 0.1, "nearest"), {}

    def run(task, *arguments):
        result, executed = called(task.fn, *arguments)
        known, _ = source.covered(f"{task.fn.__module__}:{task.fn.__name__}")
        counted = {entry for entry in executed if not source._is_infrastructure(entry.partition(":")[0])}
        assert counted - known.keys() == set()
        counts[task.name] = len(counted)
        return result

    kept = run(frequency_filter_vocab, download_glove.fn("sample"), 300, [])
    neighbours = run(annoy_index, kept.embeddings, 10, "exact", 0.95, 0)
    graph = run(neighbour_graph, neighbours, curve.tau, 2)
    space = run(components, kept.embeddings, neighbours, graph, curve.isolated)
    draws = run(draw, kept.embeddings, "gaussian", 1, 0)
    run(privacy, space, [run(perturb, space, curve, 5.0, 1e-3)], draws, 0)
    assert counts["privacy"] > 10
    assert min(counts.values()) > 2


def test_no_import_of_ours_is_relative():  # the digest would overlook it
    files = sorted(file for package in ("nadp", "tasks") for file in (ROOT / package).rglob("*.py"))
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    assert files
    assert not [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level]
