"""Who asks for what outside this machine: a proxy that refuses, and the addresses that processes have written down."""

import json
import socketserver
import threading
from contextlib import contextmanager

HERE = ("127.0.0.1", "::1", "localhost", "", None)


class _Refusing(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.asked.append(self.rfile.readline().decode().split()[1])
        self.wfile.write(b"HTTP/1.1 502 Nobody outside is asked\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class _Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Refusing)
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def refusing_proxy():
    """A proxy that gives nothing and keeps a list, `asked`, of what was asked of it."""
    with _Proxy() as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()


def recorded(path):
    """All that the recorded processes looked up or connected to: command, event, host."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def outside(path):
    """What of it is not on this machine."""
    return [entry for entry in recorded(path) if entry[2] not in HERE]
