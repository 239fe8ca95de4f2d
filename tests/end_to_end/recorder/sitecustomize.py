"""Loaded by every Python process that the tests start: writes down each address that it looks up or connects to."""

import json
import os
import sys

_LOOK_UPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_CONNECTIONS = ("socket.connect", "socket.sendto", "socket.sendmsg")
_file = os.open(os.environ["RECORDED_ADDRESSES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _record(event, args):
    if event in _LOOK_UPS:
        host = args[0]
    elif event in _CONNECTIONS:
        host = args[1][0] if isinstance(args[1], tuple) else None  # what is no pair is a path of this machine
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    os.write(_file, (json.dumps([sys.argv[:3], event, host]) + "\n").encode())


sys.addaudithook(_record)
