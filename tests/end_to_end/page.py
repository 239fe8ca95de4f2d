"""The shell blocks of docs/prefect.md, and how they are run."""

import re
import subprocess

from tests.end_to_end.running import CHECKOUT, PATIENCE

PAGE = (CHECKOUT / "docs" / "prefect.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"<!-- ([a-z]+) -->\n```sh\n(.*?)\n```", PAGE, re.DOTALL))


def settings(name, **variables):
    """What a block that sets environment variables sets."""
    script = f"{BLOCKS[name]}\nenv -0"
    done = subprocess.run(["bash", "-euc", script], env=variables, capture_output=True, text=True, check=True)
    found = dict(line.split("=", 1) for line in done.stdout.split("\0") if line)
    return {name: value for name, value in found.items() if name.startswith("PREFECT_")}


def run_block(server, name, **variables):
    """The end of a block's commands."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", BLOCKS[name]],
        cwd=CHECKOUT,
        env=server.env | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
