"""Processes for the tests of the ledger. Run as a module, with the name of one of the functions and its arguments.

The processes are forked from one that has imported nadp already. `lives` makes releases that die: the k-th kills
itself with SIGKILL at the k-th of the calls that touch the disk, seen by Python's own profile hook. Nothing of nadp is
replaced.
"""

import hashlib
import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from nadp.errors import InputError
from nadp.files.sealing import SealedFile
from nadp.release.ledger import Entry, Ledger

TOUCHING = {"connect", "execute", "fetchall", "fetchone", "replace", "rename", "fsync", "open", "write", "close"}
FILES = ["vectors.txt", "certificate.json", "certificate.md"]


def entry(release, **others):
    made = Entry(
        release, "vectors", "tau 0.3", "nadp", 2.0, 1e-6, 1.0, "reserved", "2026-01-01T00:00:00", "vectors.txt"
    )
    return replace(made, **others)


def drawn(folder):
    """Files of a release lie ready, never the same twice."""
    files = []
    for name in FILES:
        ready, place = folder / f".{name}", folder / name
        content = os.urandom(100)
        ready.write_bytes(content)
        files.append(SealedFile(ready, place, hashlib.sha256(content).hexdigest()))
    return files


def life(folder, release="mine"):
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.publish_sealed()
    ledger.reserve(entry(release))
    ledger.seal(release, drawn(folder))
    ledger.publish_sealed()


def lives(root):
    """Die at the first call, at the second, ..., until a release lives to its end."""
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


def together(action, path, out, *arguments):
    """Let six processes start at the same moment, and write what comes of each to a file."""
    gate, opened = os.pipe()
    children = []
    for number in range(6):
        child = os.fork()
        if not child:
            os.close(opened)
            os.read(gate, 1)  # returns when all the others have closed their ends
            found = {"reserve": reserve, "publish": publish}[action](Path(path), number, *arguments)
            Path(out, f"{number}.json").write_text(json.dumps(found))
            os._exit(0)
        children.append(child)
    os.close(opened)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6


def reserve(path, number, budget):
    """Reserve three releases; of each, return how many were earlier or why it was refused."""
    outcomes = []
    for turn in range(3):
        try:
            outcomes.append(len(Ledger(path).reserve(entry(f"{number}-{turn}"), float(budget))))
        except InputError as error:
            outcomes.append(f"{type(error).__name__}: {error}")
    return outcomes


def publish(path, _):
    return Ledger(path).publish_sealed()


if __name__ == "__main__":
    {"lives": lives, "together": together}[sys.argv[1]](*sys.argv[2:])
