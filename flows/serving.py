"""The Prefect server of one command, as a separate process: `python -m flows.serving DESCRIPTOR`.

It listens on a socket that the command has opened, and ends when the command ends, however that happens.
"""

import socket
import sys
import threading
from typing import TYPE_CHECKING

from flows.importing import importing

if TYPE_CHECKING:
    import uvicorn


def serve(descriptor: int) -> None:
    """Serve until standard input is closed.

    Args:
        descriptor: descriptor of the listening socket.
    """
    with importing():
        import uvicorn  # noqa: PLC0415 - slow to import
        from prefect.server.api.server import create_app  # noqa: PLC0415 - as above

        from flows.database import prepare_database  # noqa: PLC0415 - as above

        prepare_database()
        app = create_app(ephemeral=True, final=True)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=2))
    threading.Thread(target=_end_with_standard_input, args=(server,), daemon=True).start()
    server.run(sockets=[socket.socket(fileno=descriptor)])
    sys.exit(0 if server.started else 1)


def _end_with_standard_input(server: "uvicorn.Server") -> None:
    sys.stdin.buffer.read()
    server.should_exit = True


if __name__ == "__main__":
    serve(int(sys.argv[1]))
