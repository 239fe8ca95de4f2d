"""Processes for the tests of publications. Run as a module, with the name of one of the functions and its arguments.

`lives` makes outputs that die: the k-th kills itself with SIGKILL at the k-th of the calls that touch the disk, seen by
Python's own profile hook. Nothing of nadp is replaced.
"""

import json
import os
import signal
import sys
from pathlib import Path

from nadp.texts.files.publishing import PublishedFolder

TOUCHING = {"replace", "fsync", "open", "close", "write", "mkdir", "unlink", "flock", "_path_exists", "stat"}
PARTS = ["part-00000.parquet", "part-00001.parquet"]
PLAN = {"texts": "ab" * 32, "epsilon": 2.0, "length": None}


def drawing(drawn):
    """Write what nobody can make again, and leave a copy of each draw in a folder."""

    def write(path):
        content = os.urandom(100)
        Path(drawn, os.urandom(8).hex()).write_bytes(content)
        path.write_bytes(content)
        return {"texts": 1}

    return write


def life(folder):
    """Make an output; return which parts were made now."""
    (folder / "drawn").mkdir(exist_ok=True)
    publication = PublishedFolder(folder / "out")
    publication.begin(PLAN)
    publication.put("certificate.json", "{}")
    return [publication.publish(name, drawing(folder / "drawn"))[1] for name in PARTS]


def lives(root):
    """Die at the first call, at the second, ..., until an output lives to its end."""
    for step in range(10_000):
        folder = Path(root, str(step))
        folder.mkdir()
        child = os.fork()
        if not child:
            left = step

            def killing(_, event, call):
                nonlocal left
                if event == "c_call" and call.__name__ in TOUCHING:
                    if not left:
                        os.kill(os.getpid(), signal.SIGKILL)
                    left -= 1

            sys.setprofile(killing)
            life(folder)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))
        assert os.WTERMSIG(status) == signal.SIGKILL


def together(folder):
    """Let six processes make the same output at the same moment, and write which parts each of them made."""
    folder = Path(folder)
    gate, opened = os.pipe()
    children = []
    for number in range(6):
        child = os.fork()
        if not child:
            os.close(opened)
            os.read(gate, 1)  # returns when all the others have closed their ends
            Path(folder, f"{number}.json").write_text(json.dumps(life(folder)))
            os._exit(0)
        children.append(child)
    os.close(opened)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6


if __name__ == "__main__":
    {"lives": lives, "together": together}[sys.argv[1]](*sys.argv[2:])
