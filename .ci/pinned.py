"""Compares what is installed with what constraints.txt pins; names what is not pinned, or not so, and fails."""

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

OURS = {"nadp", "pip", "setuptools"}  # the project, and what a new environment begins with


def main() -> None:
    """Compare the environment that this runs in with the constraints of a file."""
    lines = (line.partition("#")[0].partition(";")[0].strip() for line in Path(sys.argv[1]).read_text().splitlines())
    pinned = {canonical(name): version for line in lines if line for name, _, version in [line.partition("==")]}
    installed = {canonical(one.name): one.version for one in distributions()}
    wrong = {f"{name}=={version}" for name, version in installed.items() if pinned.get(name) != version}
    if wrong := sorted(line for line in wrong if line.partition("==")[0] not in OURS):
        sys.exit(f"{sys.argv[1]} does not pin what is installed: {', '.join(wrong)}")


def canonical(name: str) -> str:
    """Return a name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
