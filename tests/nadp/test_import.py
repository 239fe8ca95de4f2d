"""What importing the library loads, in processes of its own."""

import ast
import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import nadp

PACKAGES = ("nadp", *(f"nadp.{name}" for name in ("experiment", "files", "groups", "release", "search", "texts")))
PACKAGES += ("nadp.texts.files",)
HEAVY = {"numpy", "scipy", "numba", "pandas", "sqlite3", "threadpoolctl"}


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def loaded_by(code):
    """The modules that are loaded after some code has run."""
    done = run(f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_importing_nadp_loads_nothing_heavy():
    loaded = loaded_by("import nadp")
    assert "nadp" in loaded
    assert not loaded & HEAVY


def test_calibration_needs_numpy_and_special_functions_only():
    loaded = loaded_by("import nadp.calibration as c; c.epsilon_of(c.mu_of(c.noise_multiplier(1, 1e-5)), 1e-6)")
    assert {"numpy", "scipy.special"} <= loaded
    assert not loaded & {"numba", "pandas", "sqlite3", "threadpoolctl", "scipy.optimize", "scipy.stats"}


@pytest.mark.parametrize("package", PACKAGES)
def test_each_public_name_is_that_of_its_module_and_listed(package):
    module = import_module(package)
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text()).body
    imports = [node for node in stub if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: f"{package}.{node.module}" for node in imports for alias in node.names}
    (listed,) = (ast.literal_eval(node.value) for node in stub if isinstance(node, ast.Assign))
    assert seen
    for name, source in seen.items():
        assert getattr(module, name) is getattr(import_module(source), name)
    assert set(seen) == set(module.__all__) == set(listed) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_public_name_is_that_of_a_module(package):
    module = import_module(package)
    modules = {one.name for one in pkgutil.iter_modules(module.__path__)}
    assert modules
    assert not modules & set(module.__all__)


def test_a_name_stays_what_it_is_whatever_is_imported_first():
    done = run("import nadp.space, nadp.components, nadp; print(callable(nadp.neighbourhoods))")
    assert done.stdout == "True\n"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = nadp.no_such_name
    assert not hasattr(nadp, "__wrapped__")


def test_windows_is_refused_in_one_line_before_anything_is_loaded():
    code = "import sys; sys.platform = 'win32'\ntry:\n    import nadp\nexcept ImportError as error:\n    print(error)"
    done = run(f"{code}\nprint(sorted({{'numpy', 'fcntl'}} & set(sys.modules)))")
    message, loaded = done.stdout.splitlines()
    assert "Linux" in message
    assert "macOS" in message
    assert loaded == "[]"
