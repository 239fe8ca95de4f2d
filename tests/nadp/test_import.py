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


def test_each_public_name_is_that_of_its_module_and_listed():
    for name in nadp.__all__:
        assert getattr(nadp, name) is getattr(import_module(f"nadp.{nadp._MODULE_OF[name]}"), name)
    assert sorted(nadp._MODULE_OF) == sorted(nadp.__all__)
    assert set(nadp.__all__) <= set(dir(nadp))


def test_type_checkers_see_the_same_names_from_the_same_modules():
    blocks = [node for node in ast.parse(Path(nadp.__file__).read_text()).body if isinstance(node, ast.If)]
    block = next(block for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING")
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert seen == {name: f"nadp.{module}" for name, module in nadp._MODULE_OF.items()}


def test_no_public_name_is_that_of_a_module():
    modules = {module.name for module in pkgutil.iter_modules(nadp.__path__)}
    assert len(modules) > 10
    assert not modules & set(nadp.__all__)


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
