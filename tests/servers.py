"""The network, faked at the socket: small servers on 127.0.0.1 that fail when they are asked to.

`HubServer` speaks as much of the Hugging Face Hub as the real client needs to load a data set; `FileServer` hands out
files, whole or in part. Both take `Fault`s, and remember what they were asked for.
"""

import gzip
import hashlib
import json
import re
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass
class Fault:
    """What is to go wrong with the next answers to some requests.

    Attributes:
        method: of the requests.
        where: a regular expression to be found in their paths.
        times: with how many of them.
        status: answered instead of what there is.
        cut: after so many bytes of the body the connection is closed.
        pause: seconds before the body is sent.
        ignore_range: the whole file is sent though only a part was asked for.
    """

    method: str = "GET"
    where: str = ""
    times: int = 1
    status: int | None = None
    cut: int | None = None
    pause: float = 0.0
    ignore_range: bool = False


@dataclass
class Request:
    method: str
    host: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, list[str]]
    body: bytes


@dataclass
class Answer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Asked(NamedTuple):
    """A request as it came, and the status of its answer."""

    method: str
    host: str
    path: str
    byte_range: str | None
    status: int


class Server(ABC):
    """A server that runs inside a `with` block, at `url`; `asked` is what it was asked for so far."""

    def __init__(self):
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._http = _Threads(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()
        for connection in list(self.connections):  # a client that keeps one alive would go on being served
            _shut(connection)

    def fail(self, method="GET", where="", **how):
        self.faults.append(Fault(method, where, **how))

    def count(self, method, where=""):
        """Return how many requests there were of a method and with a pattern in their paths."""
        return sum(asked.method == method and bool(re.search(where, asked.path)) for asked in self.asked)

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """Return what there is."""

    def answered(self, request):
        """Return the answer to a request, and what is to go wrong with it."""
        fault = self._fault(request)
        answer = self.answer(request) if fault.status is None else Answer(fault.status, b"told to fail")
        part = request.headers.get("Range")
        if part and request.method == "GET" and answer.status == 200 and not fault.ignore_range:
            answer = _part(answer, part)
        self.asked.append(Asked(request.method, request.host, request.path, part, answer.status))
        return answer, fault

    def _fault(self, request):
        with self._lock:
            for fault in self.faults:
                if fault.times and fault.method == request.method and re.search(fault.where, request.path):
                    fault.times -= 1
                    return fault
        return Fault()


class _Threads(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Say nothing: what breaks here is a client that has gone."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.server.owner.connections.add(self.connection)

    def finish(self):
        self.server.owner.connections.discard(self.connection)
        super().finish()

    def log_message(self, *_):
        """Say nothing: `asked` tells it."""

    def take(self):
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        host = self.headers.get("Host", "")
        request = Request(self.command, host, unquote(url.path), self.headers, parse_qs(url.query), body)
        self.send(*self.server.owner.answered(request))

    do_GET = do_HEAD = do_POST = do_CONNECT = take  # noqa: N815 - the names are http.server's

    def send(self, answer, fault):
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            time.sleep(fault.pause)
            self.wfile.write(answer.body[: fault.cut])
            self.wfile.flush()
            if fault.cut is not None:
                self.close_connection = True
                _shut(self.connection)


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the other side was quicker


def _part(answer, asked):
    """Return the bytes from the first one that is asked for on."""
    first, size = int(re.fullmatch(r"bytes=(\d+)-\d*", asked)[1]), len(answer.body)
    if first >= size:
        return Answer(416, headers={"Content-Range": f"bytes */{size}"})
    return Answer(206, answer.body[first:], {**answer.headers, "Content-Range": f"bytes {first}-{size - 1}/{size}"})


class FileServer(Server):
    """Files by their paths.

    Args:
        files: what there is.
        compress: whether it is compressed in transit for clients that accept that, as GitHub does with text.
    """

    def __init__(self, files: Mapping[str, bytes] | None = None, *, compress: bool = False):
        super().__init__()
        self.files = dict(files or {})
        self.compress = compress

    def answer(self, request):
        body = self.files.get(request.path)
        if body is None:
            return Answer(404, b"no such file")
        if self.compress and "gzip" in request.headers.get("Accept-Encoding", ""):
            return Answer(200, gzip.compress(body, mtime=0), {"Content-Encoding": "gzip"})
        return Answer(200, body, {"Accept-Ranges": "bytes"})


class HubServer(Server):
    """The data sets and models that lie in a folder, as owner/name/file; each has one revision, also called "main".

    Args:
        folder: where they lie.
        revisions: the revision of a data set, 40 hexadecimal digits; a digest of its files if it is not told.
    """

    def __init__(self, folder: Path, revisions: Mapping[str, str] | None = None):
        super().__init__()
        self.folder = folder
        self.revisions = dict(revisions or {})

    def answer(self, request):
        for route, reply in _ROUTES.items():
            if found := re.fullmatch(route, request.path):
                return self._reply(reply, request, **found.groupdict())
        return _refused(404, "NotFound", f"nothing at {request.path}")

    def _reply(self, reply, request, name, revision="main", **rest):
        if not (self.folder / name).is_dir():
            return _refused(401, "RepoNotFound", "Repository not found")  # the answer to an anonymous caller
        root = self.folder / name
        files = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}
        commit = self.revisions.get(name) or _sha1(*sorted(_sha1(path.encode(), data) for path, data in files.items()))
        if revision not in ("main", commit):
            return _refused(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return reply(request, name, commit, files, **rest)


def _info(_, name, commit, files):
    siblings = [{"rfilename": path} for path in files]
    return _json({"id": name, "sha": commit, "private": False, "tags": [], "siblings": siblings})


def _tree(request, _, commit, files, under=None):
    prefix = f"{under}/" if under else ""
    inside = {path: entry for path, entry in _entries(files).items() if path.startswith(prefix)}
    if prefix and not inside:
        return _refused(404, "EntryNotFound", f"{under} does not exist", commit)
    if request.query.get("recursive", [""])[0].lower() != "true":
        inside = {path: entry for path, entry in inside.items() if "/" not in path.removeprefix(prefix)}
    return _json(list(inside.values()))


def _paths_info(request, _, commit, files):  # noqa: ARG001 - as the other routes
    form = parse_qs(request.body.decode())
    wanted = form.get("paths") or json.loads(request.body)["paths"]
    return _json([entry for path, entry in _entries(files).items() if path in wanted])


def _resolve(_, name, commit, files, path):  # noqa: ARG001 - as the other routes
    if path not in files:
        return _refused(404, "EntryNotFound", "Entry not found", commit)
    headers = {"X-Repo-Commit": commit, "ETag": f'"{_sha1(files[path])}"', "Accept-Ranges": "bytes"}
    return Answer(200, files[path], headers)


_NAME = r"(?P<name>[^/]+/[^/]+)"
_REVISION = r"(?P<revision>[^/]+)"
_ROUTES = {
    rf"/api/datasets/{_NAME}": _info,
    rf"/api/datasets/{_NAME}/revision/{_REVISION}": _info,
    rf"/api/datasets/{_NAME}/tree/{_REVISION}(?:/(?P<under>.+))?": _tree,
    rf"/api/datasets/{_NAME}/paths-info/{_REVISION}": _paths_info,
    rf"/datasets/{_NAME}/resolve/{_REVISION}/(?P<path>.+)": _resolve,
    rf"/api/models/{_NAME}": _info,
    rf"/api/models/{_NAME}/revision/{_REVISION}": _info,
    rf"/{_NAME}/resolve/{_REVISION}/(?P<path>.+)": _resolve,
}


def _entries(files):
    """Return what the Hub says of each file and folder, by path."""
    folders = {str(folder) for path in files for folder in Path(path).parents if folder.name}
    found = {
        path: {"type": "file", "oid": _sha1(data), "size": len(data), "path": path} for path, data in files.items()
    }
    return found | {
        path: {"type": "directory", "oid": _sha1(path.encode()), "size": 0, "path": path} for path in folders
    }


def _sha1(*parts):
    return hashlib.sha1(
        b"\0".join(p if isinstance(p, bytes) else p.encode() for p in parts), usedforsecurity=False
    ).hexdigest()


def _json(value):
    return Answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})


def _refused(status, code, message, commit=None):
    headers = {"X-Error-Code": code, "X-Error-Message": message}
    return Answer(
        status, json.dumps({"error": message}).encode(), headers | ({"X-Repo-Commit": commit} if commit else {})
    )


def closed_port():
    """Return the URL of a port of this machine at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"
