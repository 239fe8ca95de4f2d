"""The network, faked at the socket: small servers on 127.0.0.1 that fail when they are told to.

`HubServer` speaks as much of the Hugging Face Hub as the real client needs to load a data set from a folder;
`FileServer` hands out files, whole or in part; both take `Fault`s and keep what they were asked for.
"""

import hashlib
import json
import re
import socket
import threading
import time
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

    def concerns(self, method, path):
        return self.times > 0 and self.method == method and re.search(self.where, path) is not None


class Asked(NamedTuple):
    """A request as it came, and the status of its answer."""

    method: str
    path: str
    byte_range: str | None
    status: int


@dataclass
class Answer:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Server:
    """A server that runs inside a `with` block, at `url`; `asked` is what it was asked for so far."""

    def __init__(self):
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._http = _Threads(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._http.shutdown()
        self._http.server_close()
        with self._lock:
            for connection in self._open:  # else a client that keeps one alive would go on being served
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def fail(self, method="GET", where="", **how):
        self.faults.append(Fault(method, where, **how))

    def count(self, method, where=""):
        return sum(asked.method == method and re.search(where, asked.path) is not None for asked in self.asked)

    def answer(self, method, path, query, posted):
        """Return what there is at a path."""
        raise NotImplementedError

    def _fault(self, method, path):
        with self._lock:
            for fault in self.faults:
                if fault.concerns(method, path):
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
        with self.owner._lock:
            self.owner._open.add(self.connection)

    def finish(self):
        with self.owner._lock:
            self.owner._open.discard(self.connection)
        super().finish()

    @property
    def owner(self):
        return self.server.owner

    def log_message(self, *_):
        """Say nothing: `asked` tells it."""

    def handle_request(self):
        url = urlsplit(self.path)
        path = unquote(url.path)
        posted = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.owner._fault(self.command, path)
        if fault.status is not None:
            answer = Answer(fault.status, b"told to fail")
        else:
            answer = self.owner.answer(self.command, path, parse_qs(url.query), posted)
        asked_range = self.headers.get("Range")
        if answer.status == 200 and self.command == "GET" and asked_range and not fault.ignore_range:
            answer = _part(answer, asked_range)
        self.owner.asked.append(Asked(self.command, path, asked_range, answer.status))
        self._send(answer, fault)

    do_GET = do_HEAD = do_POST = do_CONNECT = handle_request

    def _send(self, answer, fault):
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        time.sleep(fault.pause)
        try:
            self.wfile.write(answer.body[: fault.cut])
        except OSError:  # the client has had enough
            self.close_connection = True
        if fault.cut is not None:
            self.close_connection = True


def _part(answer, asked_range):
    """Return the bytes from the first one that is asked for on."""
    first = int(re.fullmatch(r"bytes=(\d+)-(\d*)", asked_range)[1])
    size = len(answer.body)
    if first >= size:
        return Answer(416, headers={"Content-Range": f"bytes */{size}"})
    headers = {**answer.headers, "Content-Range": f"bytes {first}-{size - 1}/{size}"}
    return Answer(206, answer.body[first:], headers)


class FileServer(Server):
    """Files by their paths, without the slash that comes first."""

    def __init__(self, files: Mapping[str, bytes] | None = None):
        super().__init__()
        self.files = dict(files or {})

    def answer(self, method, path, query, posted):  # noqa: ARG002 - the same for all servers
        body = self.files.get(path.removeprefix("/"))
        return Answer(404, b"no such file") if body is None else Answer(200, body, {"Accept-Ranges": "bytes"})


class HubServer(Server):
    """The data sets that lie in a folder, `owner/name/file`; a data set has the revisions "main" and those of its files.

    Args:
        folder: where they lie.
        revisions: further names of a data set's only revision: 40 hexadecimal digits each.
    """

    def __init__(self, folder: Path, revisions: Mapping[str, str] | None = None):
        super().__init__()
        self.folder = folder
        self.revisions = dict(revisions or {})

    def answer(self, method, path, query, posted):  # noqa: ARG002 - the same for all servers
        route = re.fullmatch(
            r"/(?:api/datasets/(?P<api>[^/]+/[^/]+)(?:/(?P<verb>revision|tree|paths-info)/(?P<at>[^/]+)(?:/(?P<under>.*))?)?"
            r"|datasets/(?P<id>[^/]+/[^/]+)/resolve/(?P<of>[^/]+)/(?P<file>.+))",
            path,
        )
        if route is None:
            return _refused(404, "NotFound", f"nothing at {path}")
        name, revision = route["api"] or route["id"], route["at"] or route["of"] or "main"
        if not (self.folder / name).is_dir():
            return _refused(401, "RepoNotFound", "Repository not found")  # as an anonymous caller is told
        commit = self.commit(name)
        if revision not in ("main", commit):
            return _refused(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if route["file"]:
            return self._file(name, route["file"], commit)
        if route["verb"] == "tree":
            return _json(self._tree(name, route["under"] or "", query.get("recursive") == ["true"]))
        if route["verb"] == "paths-info":
            wanted = parse_qs(posted.decode()).get("paths") or json.loads(posted or b"{}").get("paths", [])
            return _json([entry for entry in self._tree(name, "", recursive=True) if entry["path"] in wanted])
        siblings = [{"rfilename": file} for file in self._files(name)]
        return _json({"id": name, "sha": commit, "private": False, "tags": [], "siblings": siblings})

    def commit(self, name):
        """Return the revision of a data set, 40 hexadecimal digits."""
        pinned = self.revisions.get(name)
        return pinned or _sha1(*(path.encode() + data for path, data in self._files(name).items()))

    def _files(self, name):
        root = self.folder / name
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

    def _file(self, name, path, commit):
        data = self._files(name).get(path)
        if data is None:
            return _refused(404, "EntryNotFound", "Entry not found", commit)
        return Answer(200, data, {"X-Repo-Commit": commit, "ETag": f'"{_sha1(data)}"', "Accept-Ranges": "bytes"})

    def _tree(self, name, under, recursive):
        entries = {}
        for path, data in self._files(name).items():
            folders = path.split("/")[:-1]
            for depth in range(1, len(folders) + 1):
                folder = "/".join(folders[:depth])
                entries[folder] = {"type": "directory", "oid": _sha1(folder.encode()), "size": 0, "path": folder}
            entries[path] = {"type": "file", "oid": _sha1(data), "size": len(data), "path": path}
        prefix = f"{under}/" if under else ""
        inside = [entry for path, entry in entries.items() if path.startswith(prefix)]
        return [entry for entry in inside if recursive or "/" not in entry["path"].removeprefix(prefix)]


def _sha1(*parts):
    return hashlib.sha1(b"\0".join(parts), usedforsecurity=False).hexdigest()


def _json(value):
    return Answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})


def _refused(status, code, message, commit=None):
    headers = {"X-Error-Code": code, "X-Error-Message": message} | ({"X-Repo-Commit": commit} if commit else {})
    return Answer(status, json.dumps({"error": message}).encode(), headers)


def closed_port():
    """Return the URL of a port of this machine at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"
