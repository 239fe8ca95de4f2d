"""Prefect's real parts, as processes on 127.0.0.1 that end with the block that started them.

    with serve(folder) as server, work(server):
        run_cli(server, "deploy", "--all")
        run_cli(server, "deployment", "run", "experiment/demo", "--watch")

The server's address is `server.url`, its folder `server.home` (Prefect's own files, NADP_HOME, logs).
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

CHECKOUT = Path(__file__).parents[2]
RECORDER = Path(__file__).parent / "recorder"
SERVER = "prefect server start"
WORKER = "prefect worker start --pool nadp --type process"
_LIBRARY, _PARENT_DEATH_SIGNAL = ctypes.CDLL(None), 1  # PR_SET_PDEATHSIG of prctl(2)
PATIENCE = 300  # seconds that anything may take on a busy machine
_OF_THE_USER = ("PREFECT_", "DO_NOT_TRACK", "CI", "GITHUB_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


def spawned(command, **how):
    """A process that ends when this one ends, whichever way."""
    return subprocess.Popen(command, preexec_fn=_end_with_us, **how)  # noqa: PLW1509 - one system call takes no lock


def _end_with_us():
    _LIBRARY.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def lacking(what):
    """Skip a test, as some programs are not installed. It fails where NADP_REQUIRE_ALL is set, as .ci/run does."""
    (pytest.fail if os.environ.get("NADP_REQUIRE_ALL") else pytest.skip)(what)


def environment(home, **more):
    """What a process gets to see: folders of its own, and none of the user's settings of Prefect."""
    (home / "tmp").mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_USER)}
    own = {
        "PREFECT_HOME": str(home / "prefect"),
        "NADP_HOME": str(home / "nadp"),
        "TMPDIR": str(home / "tmp"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(RECORDER),
        "RECORDED_ADDRESSES": str(home / "addresses.jsonl"),
        "NO_PROXY": "127.0.0.1",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    return kept | own | more


def free_port():
    """A port that nobody uses at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def until(condition, what, seconds=PATIENCE):
    """Ask again and again; return the first answer that is true."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    return answer


def processes_of(home, *words):
    """The ids of the running processes that were started for a folder, those with some words in their command."""
    mark, found = f"PREFECT_HOME={home / 'prefect'}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or gone
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if mark in (folder / "environ").read_bytes().split(b"\0") and all(word in command for word in words):
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


def kill(*pids):
    """End processes as a power cut would."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def process(command, env, log):
    """A process in the background; at the end it is asked to stop, and made to: a worker runs on for 20 s or more."""
    with log.open("ab") as out:
        how = {"cwd": CHECKOUT, "env": env, "stdout": out, "stderr": subprocess.STDOUT}
        running = spawned(command, start_new_session=True, **how)
    with running:
        try:
            yield running
        finally:
            running.terminate()
            try:
                running.wait(3)
            except subprocess.TimeoutExpired:
                running.kill()


@dataclass
class Server:
    """A server that runs, and where everything of it lies."""

    home: Path
    port: int
    process: subprocess.Popen
    settings: dict = field(default_factory=dict)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def env(self):
        return environment(self.home, PREFECT_API_URL=self.url, **self.settings)

    def ask(self, method, path, **body):
        """What the API answers; where the database is busy (503), it is asked again, as Prefect's own client does."""
        password = self.settings.get("PREFECT_API_AUTH_STRING")
        given = {"json": body or None, "auth": tuple(password.split(":")) if password else None}

        def answered():
            answer = httpx.request(method, self.url + path, timeout=60, trust_env=False, **given)
            return answer.status_code != httpx.codes.SERVICE_UNAVAILABLE and answer

        answer = until(answered, f"{path} is answered")
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def runs(self, **conditions):
        """The flow runs that fulfil some conditions, the newest first; without any, those of deployments."""
        conditions = conditions or {"deployment_id": {"is_null_": False}}
        return self.ask("POST", "/flow_runs/filter", flow_runs=conditions, sort="EXPECTED_START_TIME_DESC")

    def run(self, run_id):
        return self.ask("GET", f"/flow_runs/{run_id}")

    def task_runs(self, *run_ids):
        """The task runs of some flow runs, without those that stand for flow runs that they started."""
        found = self.ask("POST", "/task_runs/filter", task_runs={"flow_run_id": {"any_": list(run_ids)}})
        return [task for task in found if not task["state"]["state_details"]["child_flow_run_id"]]

    def curves(self, run_id):
        """The flow runs that a flow run started."""
        return self.runs(parent_flow_run_id={"any_": [run_id]})


def _answers(port, running):
    if running.poll() is not None:
        raise RuntimeError(f"{running.args} ended with {running.returncode}")
    with suppress(httpx.HTTPError):
        return httpx.get(f"http://127.0.0.1:{port}/api/health", timeout=10, trust_env=False).is_success
    return False


@contextmanager
def serve(home, port=None, **settings):
    """A server on 127.0.0.1, in the folder `home`: SQLite if the settings do not say otherwise."""
    port = port or free_port()
    env = environment(home, PREFECT_SERVER_API_PORT=str(port), **settings)
    with process(SERVER.split(), env, home / "server.log") as running:
        try:
            until(lambda: _answers(port, running), f"the server answers (see {home / 'server.log'})")
            yield Server(home, port, running, settings)
        finally:
            kill(*set(processes_of(home)) - {running.pid})


@contextmanager
def work(server, **settings):
    """A worker that looks for work every two seconds; it makes the pool."""
    env = server.env | {"PREFECT_WORKER_QUERY_SECONDS": "2"} | settings
    known = {worker["name"] for worker in online(server)}
    with process(WORKER.split(), env, server.home / "worker.log") as running:
        until(
            lambda: {worker["name"] for worker in online(server)} - known,
            f"a worker is online (see {server.home / 'worker.log'})",
        )
        yield running


def online(server):
    """The workers that have been heard of lately."""
    try:
        return server.ask("POST", "/work_pools/nadp/workers/filter", workers={"status": {"any_": ["ONLINE"]}})
    except httpx.HTTPStatusError:  # no pool as yet
        return []


def run_cli(server, *words, **settings):
    """The end of a `prefect` command: its exit code, and all that it said as `stdout`."""
    return subprocess.run(
        ["prefect", *words],
        cwd=CHECKOUT,
        env=server.env | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=2 * PATIENCE,
    )
