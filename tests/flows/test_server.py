"""What is said where a command finds no Prefect server, and what becomes of the server that it starts for itself."""

import logging
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from flows import server as servers
from flows.command_line import _prepare_process
from flows.server import ServerError
from tests.end_to_end.outside import refusing_proxy
from tests.flows.processes import until
from tests.servers import FileServer, closed_port

CHECKOUT = Path(__file__).parents[2]
PLAN = [sys.executable, "-m", "flows.experiment", "--plan"]


def alone(folder, **more):
    """The environment of a command that has to start a server of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().endswith(("_API_URL", "_PROXY"))}
    return kept | {"PREFECT_HOME": str(folder), "NADP_HOME": str(folder / "nadp"), "COLUMNS": "120"} | more


def refused(folder, **how):
    """What a command said that found no server: little, and no traceback."""
    environment = alone(folder, **how.pop("more", {}))
    done = subprocess.run(PLAN, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False, **how)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert len((done.stdout + done.stderr).splitlines()) <= 15
    return done.stderr


def test_a_server_that_is_down_is_named_with_the_variable_that_names_it(tmp_path):
    url = f"{closed_port()}/api"
    said = refused(tmp_path, more={"PREFECT_API_URL": url, "HTTP_PROXY": closed_port()})
    assert f"PREFECT_API_URL is {url}" in said
    assert "refused" in said


@pytest.mark.parametrize("url", ["http://", "ftp://127.0.0.1/api", "127.0.0.1:4200/api", "http://no host/api"])
def test_what_is_no_address_is_refused_with_its_value(url):
    with pytest.raises(ServerError) as caught:
        servers._check(url)
    assert f"PREFECT_API_URL is {url}" in str(caught.value)


def test_something_else_that_answers_is_distinguished_from_a_server_of_prefect():
    with FileServer() as other, pytest.raises(ServerError, match="404"):
        servers._check(f"{other.url}/api")


def test_a_server_that_listens_and_says_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr(servers, "_ANSWER", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(ServerError, match="timed out"):
        servers._check(f"http://127.0.0.1:{silent.getsockname()[1]}/api")


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError) as caught:
        servers._check_home(tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)
    assert "PREFECT_HOME" in str(caught.value)


def test_a_disk_without_room_is_reported(tmp_path):
    said = refused(tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18)))
    assert f"{tmp_path}, cannot be written (File too large)" in said


@pytest.mark.parametrize("command", ["import time; time.sleep(60)", "print('x.y.BadError: of the test'); exit(3)"])
def test_a_server_that_does_nothing_or_has_ended_is_given_up_with_its_last_error(monkeypatch, command):
    monkeypatch.setattr(servers, "_IDLE", 0.5)
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=log)
        with pytest.raises(ServerError) as caught:
            servers._wait(process, closed_port(), log)
        process.kill()
        process.communicate()
    wanted = "BadError: of the test" if "BadError" in command else "it has done nothing"
    assert wanted in str(caught.value)


def test_a_server_that_fails_again_and_again_is_given_up_although_it_is_busy(tmp_path):
    failing = "import sys, time\nwhile True: print('MemoryError', file=sys.stderr, flush=True), time.sleep(0.01)"
    with (tmp_path / "log").open("w+") as log, subprocess.Popen([sys.executable, "-c", failing], stderr=log) as busy:
        try:
            with pytest.raises(ServerError, match="fails again and again; its last error: MemoryError"):
                servers._wait(busy, closed_port(), log)
        finally:
            busy.kill()


def test_this_machine_is_never_asked_through_a_proxy(monkeypatch):
    for name, given in {"NO_PROXY": None, "no_proxy": "example.org, 127.0.0.1"}.items():
        monkeypatch.delenv(name, raising=False) if given is None else monkeypatch.setenv(name, given)
    for name in ("DO_NOT_TRACK", "HF_UPDATE_DOWNLOAD_COUNTS", "DASK_LOGGING__DISTRIBUTED"):
        monkeypatch.setenv(name, "as it was")
    _prepare_process()
    assert os.environ["no_proxy"] == os.environ["NO_PROXY"] == "example.org,127.0.0.1,localhost,::1"
    assert os.environ["DO_NOT_TRACK"] == "as it was"


def test_flows_are_imported_without_a_trace():
    program = "import os, logging; before = dict(os.environ); level = logging.getLogger('nadp').level\n"
    program += "import flows.experiment, flows.audit, flows.release, flows.encode\n"
    program += "assert logging.getLogger('nadp').level == level\n"
    program += "print({name for name in os.environ if os.environ[name] != before.get(name)})"
    done = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    assert logging.getLogger("nadp").level == logging.NOTSET


@pytest.mark.servers
def test_transactions_of_the_server_of_a_command_wait_for_each_other(tmp_path):
    program = """
import asyncio
from prefect.server.database import provide_database_interface
from prefect.server.database.configurations import SQLITE_BEGIN_MODE
from flows.database import prepare_database

async def mode():
    async with provide_database_interface().session_context(begin_transaction=True):
        return SQLITE_BEGIN_MODE.get()

before = asyncio.run(mode())
prepare_database()
print(before, asyncio.run(mode()))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, env=alone(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["DEFERRED", "IMMEDIATE"]


@pytest.mark.servers
def test_a_new_database_has_the_schema_that_prefect_creates(tmp_path):
    create = "import asyncio; from prefect.server.database import provide_database_interface as interface; "
    create += "asyncio.run(interface().create_db())"
    programs = {"prefect": create, "nadp": "from flows.database import prepare_database as create; create()"}
    schemas = {}
    for name, program in programs.items():
        environment = alone(tmp_path / name)
        subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, env=environment, check=True)
        schemas[name] = schema(tmp_path / name / "prefect.db")
    assert len(schemas["prefect"]) > 100
    assert schemas["nadp"] == schemas["prefect"]


def schema(database):
    """Return the version and the sorted lines of each table and index; the order of constraints is random."""
    with sqlite3.connect(database) as connection:
        version = connection.execute("select version_num from alembic_version").fetchall()
        texts = connection.execute("select name, sql from sqlite_master").fetchall()
    connection.close()
    lines = {name: sorted(line.strip(" ,") for line in (text or "").splitlines()) for name, text in texts}
    return lines | {"version": version}


@pytest.mark.servers
def test_a_damaged_database_is_reported(tmp_path):
    (tmp_path / "prefect.db").write_bytes(b"no database " * 1000)
    said = refused(tmp_path)
    assert "file is not a database" in said
    assert str(tmp_path) in said


@pytest.mark.servers
def test_a_database_that_is_locked_is_reported(tmp_path):
    with sqlite3.connect(tmp_path / "prefect.db", isolation_level=None) as connection:
        connection.execute("create table a (b)")
        connection.execute("begin exclusive")
        assert "database" in refused(tmp_path, timeout=300)
    connection.close()


@pytest.mark.servers
def test_commands_that_begin_at_once_share_a_new_folder(tmp_path):
    both = [subprocess.Popen(PLAN, cwd=CHECKOUT, env=alone(tmp_path), stderr=subprocess.PIPE) for _ in range(2)]
    said = [one.communicate()[1] for one in both]
    assert [one.returncode for one in both] == [0, 0], said


@pytest.mark.servers
def test_with_a_proxy_that_knows_nothing_of_this_machine_a_command_runs_as_without(tmp_path):
    with refusing_proxy() as proxy:
        environment = alone(tmp_path, HTTP_PROXY=proxy.url, HTTPS_PROXY=proxy.url, ALL_PROXY=proxy.url)
        done = subprocess.run(PLAN, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "completed: nothing was run; plan:" in done.stdout
    assert [asked for asked in proxy.asked if "127.0.0.1" in asked or "localhost" in asked] == []


@pytest.mark.servers
def test_a_server_ends_with_its_command_even_if_that_is_killed(tmp_path):
    command = subprocess.Popen(
        PLAN, cwd=CHECKOUT, env=alone(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    running = psutil.Process(command.pid)
    (started,) = until(running.children, "the server")
    assert os.getpgid(started.pid) != os.getpgid(command.pid)  # Ctrl-C in a terminal reaches the command alone
    command.send_signal(signal.SIGKILL)
    command.wait()
    until(lambda: not started.is_running() or started.status() == psutil.STATUS_ZOMBIE, "the end of the server")
