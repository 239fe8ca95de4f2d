"""A digest of the code that computes a result: a cached result is valid while the digest stays the same.

It covers a task and everything that the task uses: in `tasks`, the functions, classes and values that it names,
directly or indirectly; in `nadp`, whole modules, all their imports and the templates of packages; and the versions of
the packages below.
Comments, docstrings and layout do not change it. Nor does code that cannot change a result: storage, downloads,
progress.
"""

import ast
import hashlib
import json
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nadp.files.durable import put
from nadp.runtime.versions import versions
from nadp.sample import SAMPLE
from tasks.store.home import home, made_home

_PACKAGES = {"nadp": SAMPLE.parents[1], "tasks": Path(__file__).parents[1]}
_INFRASTRUCTURE = (
    "nadp.files.durable",
    "nadp.files.sealing",
    "nadp.runtime.optional",
    "nadp.runtime.progress",
    "nadp.runtime.versions",
    "tasks.sources.downloads",
    "tasks.sources.retries",
    "tasks.store",
)
_READ = ("templates", "fonts")  # folders whose files a package reads
_INFRASTRUCTURE_PACKAGES = {"filelock", "fsspec", "httpx", "lazy_loader", "prefect", "threadpoolctl"}
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
"""Distribution names of packages that differ from their import names."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_parsing = threading.Lock()  # before Python 3.13 ast.parse can fail with a SystemError on two threads at once


@dataclass(frozen=True)
class _Statement:
    """A statement of a module.

    Attributes:
        code: its source; empty where it only imports infrastructure.
        binds: the names that it defines.
        uses: a superset of the names that it uses.
        imports: as "module" or "module:name".
    """

    code: str
    binds: frozenset[str]
    uses: frozenset[str]
    imports: tuple[str, ...]


@cache
def source_digest(*entries: str) -> str:
    """Return the digest of some code and everything that it uses.

    Args:
        entries: "module:name" for a function, or "module" for a whole module.
    """
    code, packages = _remembered(entries)
    installed = versions(*sorted(_DISTRIBUTIONS.get(package, package) for package in packages)) if packages else {}
    return hashlib.sha256(repr([code, sorted(installed.items())]).encode()).hexdigest()


def _remembered(entries: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the digest of the code of some entries, and their third-party packages.

    They are kept in a file, because parsing the code takes longer than a cached run should wait.
    """
    folder = home() / "sources" / _state_of_files()
    path = folder / f"{hashlib.sha256(repr(entries).encode()).hexdigest()[:32]}.json"
    try:
        code, packages = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        code_of_entry, third_party = covered(*entries)
        code = hashlib.sha256(repr(sorted(code_of_entry.items())).encode()).hexdigest()
        packages = sorted(third_party)
        made_home()
        for outdated in set(folder.parent.glob("*")) - {folder}:
            shutil.rmtree(outdated, ignore_errors=True)
        put(path, json.dumps([code, packages]))
    return code, packages


@cache
def _state_of_files() -> str:
    """Return a digest of the paths, sizes and times of change of all our files, and of the version of Python."""
    files = [path for package in _PACKAGES.values() for path in package.rglob("*") if path.suffix not in (".pyc", "")]
    state = [(str(path), stat.st_size, stat.st_mtime_ns) for path in sorted(files) for stat in [path.stat()]]
    return hashlib.sha256(repr([sys.version, state]).encode()).hexdigest()[:32]


def covered(*entries: str) -> tuple[dict[str, list[str]], set[str]]:
    """Return all of our code that some entries use, entries included, and the third-party packages.

    The keys are entries; an entry without a name ("nadp.graph:") is a whole module.
    """
    code_of_entry, packages = dict[str, list[str]](), set[str]()
    pending = list(entries)
    while pending:
        module, name = _resolved(pending.pop())
        entry = f"{module}:{name}"
        file = source_of(module)
        if file is None:
            packages.add(module.partition(".")[0])
        elif entry not in code_of_entry and not _is_infrastructure(module):
            statements = [
                statement
                for statement in _statements(file, module)
                if not name or name in statement.binds or not statement.binds
            ]
            code_of_entry[entry] = [statement.code for statement in statements] + _digests_beside(file)
            pending += [imported for statement in statements for imported in statement.imports]
            pending += [f"{module}:{use}" for statement in statements for use in statement.uses] if name else []
    third_party = packages - {*_PACKAGES, *_INFRASTRUCTURE_PACKAGES, *sys.stdlib_module_names}
    return {entry: code for entry, code in code_of_entry.items() if any(code)}, third_party


def _resolved(entry: str) -> tuple[str, str]:
    """Return the module of an entry, and the name in it; no name means the whole module."""
    module, _, name = entry.partition(":")
    if name and source_of(f"{module}.{name}"):
        return f"{module}.{name}", ""
    return module, name if module.startswith("tasks") else ""


@cache
def source_of(module: str) -> Path | None:
    """Return the file of one of our modules or packages; None for other modules and names.

    It is looked up on the disk and not imported, because tasks run on several threads.
    """
    package, *parts = module.split(".")
    if package not in _PACKAGES:
        return None
    path = _PACKAGES[package].joinpath(*parts)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _is_infrastructure(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in _INFRASTRUCTURE)


@cache
def _digests_beside(file: Path) -> list[str]:
    """Return the digests of the files that a package reads, by name."""
    folders = [file.parent / name for name in _READ] if file.name == "__init__.py" else []
    paths = sorted(path for folder in folders for path in folder.glob("*") if path.is_file())
    return [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in paths]


@cache
def _statements(file: Path, module: str) -> list[_Statement]:
    """Return the statements of a module and of its stub, from which a package imports on demand.

    An import gives one statement for each imported name.
    """
    nodes = _nodes(file)
    if (stub := file.with_suffix(".pyi")).is_file():
        nodes += _nodes(stub)
    statements = []
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            statements += [_import(node, alias, module) for alias in node.names]
        elif not _is_string(node):
            statements.append(_statement(node))
    return statements


def _nodes(file: Path) -> list[ast.stmt]:
    with _parsing:
        return ast.parse(file.read_bytes()).body


def _import(node: ast.Import | ast.ImportFrom, alias: ast.alias, package: str) -> _Statement:
    entry = _entry(node, alias, package)
    code = "" if _is_infrastructure(_resolved(entry)[0]) else f"{entry} as {alias.asname}"
    return _Statement(code, frozenset({_alias(alias)}), frozenset(), (entry,))


def _entry(node: ast.Import | ast.ImportFrom, alias: ast.alias, package: str = "") -> str:
    """Return what an import names; only stubs import relative to their package."""
    if isinstance(node, ast.Import):
        return alias.name
    return f"{package}.{node.module}:{alias.name}" if node.level else f"{node.module}:{alias.name}"


def _statement(node: ast.stmt) -> _Statement:
    """Return a parsed statement."""
    uses, imports = set[str](), list[str]()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            uses.add(part.id)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            imports += [_entry(part, alias) for alias in part.names]
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            imports += _named_in(part.value)
        fields = vars(part)
        if isinstance(fields.get("body"), list):
            fields["body"] = [child for child in fields["body"] if not _is_string(child)]
    binds = (
        {node.name} if isinstance(node, _DEFINITIONS) else {name for part in ast.walk(node) for name in _bound(part)}
    )
    return _Statement(ast.dump(node), frozenset(binds), frozenset(uses), tuple(imports))


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a part of a statement defines."""
    if isinstance(node, _DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield _alias(node)


def _alias(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _is_string(node: ast.AST) -> bool:
    """Return whether a statement is only a string, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _named_in(text: str) -> Iterator[str]:
    """Yield the module of ours that a string names for an import on demand; an attribute may follow a colon."""
    name = text.partition(":")[0]
    if re.fullmatch(r"\w+(\.\w+)+", name) and source_of(name):
        yield name
