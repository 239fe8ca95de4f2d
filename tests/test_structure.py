"""The road goes flows -> tasks -> nadp, never back."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def imported(path):
    """The top-level packages that a file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.parametrize(
    ("package", "banned"), [("nadp", {"prefect", "datasets", "tasks", "flows"}), ("tasks", {"flows"})]
)
def test_no_package_imports_one_that_builds_on_it(package, banned):
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    assert {str(file): found for file in files if (found := banned & set(imported(file)))} == {}
