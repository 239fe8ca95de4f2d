"""The check of CI that constraints.txt pins what is installed, against made-up environments."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def checked(folder, pins, installed):
    """The exit code and the message of the check, where nothing but the given distributions is installed."""
    (folder / "constraints.txt").write_text(pins)
    for line in installed:
        name, _, version = line.partition("==")
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    command = [sys.executable, "-S", ROOT / ".ci" / "pinned.py", folder / "constraints.txt"]
    done = subprocess.run(command, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("pins", "installed"),
    [
        ("# all\nruamel-yaml-clib==0.2\nPySocks==1.7.1  # of urllib3\n", ["ruamel.yaml.clib==0.2", "pysocks==1.7.1"]),
        ("numpy==2.1\nscipy==1.14\n", ["numpy==2.1", "nadp==0.2.0", "pip==23.0", "setuptools==65.5"]),
    ],
)
def test_what_is_pinned_to_its_version_passes_under_any_spelling(tmp_path, pins, installed):
    assert checked(tmp_path, pins, installed) == (0, "")


def test_what_is_not_pinned_or_to_another_version_is_named_and_nothing_else(tmp_path):
    code, said = checked(tmp_path, "numpy==2.1\nscipy==1.14\n", ["numpy==2.1", "scipy==1.15", "Build==1.2", "pip==23"])
    assert code == 1
    assert "build==1.2, scipy==1.15\n" in said
    assert not {"numpy", "pip"} & set(said.replace(",", " ").replace("==", " ").split())
