"""A PostgreSQL server of its own, in a temporary folder, run by a user who is not root."""

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.end_to_end.running import free_port, spawned, until

NAME, PASSWORD, HOST, DATABASE = "prefect", "a-word", "127.0.0.1", "postgres"


def program(name):
    """The path of one of PostgreSQL's programs; Debian keeps them out of the way. None if it is not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(debian[-1]) if debian else None)


def missing():
    """Why there can be no PostgreSQL server here; empty if there can be one."""
    lacking = [name for name in ("initdb", "postgres") if program(name) is None]
    return f"PostgreSQL is not installed (no {', '.join(lacking)}): apt install postgresql" if lacking else ""


def _unprivileged():
    """How to start a process as somebody who is not root: PostgreSQL insists."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


def _listens(port):
    with suppress(OSError):
        socket.create_connection((HOST, port), timeout=5).close()
        return True
    return False


@contextmanager
def postgres():
    """A PostgreSQL server; its port on 127.0.0.1."""
    who, port = _unprivileged(), free_port()
    with tempfile.TemporaryDirectory(prefix="nadp-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "password").write_text(PASSWORD)
        for path in (folder, folder / "password"):
            if who:
                shutil.chown(path, who["user"], who["group"])
        made = [program("initdb"), "-D", str(folder / "data"), "-U", NAME, "-A", "scram-sha-256", "--no-sync"]
        common = {"cwd": folder, "env": {"LC_ALL": "C", "PATH": os.environ["PATH"]}, **who}
        subprocess.run([*made, f"--pwfile={folder / 'password'}"], check=True, capture_output=True, **common)
        listening = ["-h", HOST, "-p", str(port), "-k", str(folder)]
        command = [program("postgres"), "-D", str(folder / "data"), *listening]
        with spawned(command, **common) as running:
            try:
                until(lambda: _listens(port), "PostgreSQL listens")
                yield port
            finally:
                running.terminate()
                with suppress(subprocess.TimeoutExpired):
                    running.wait(20)
                running.kill()
