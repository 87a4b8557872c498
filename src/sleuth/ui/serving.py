"""The server: one process, on this machine alone unless told otherwise."""

import gc
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from sleuth.errors import SleuthError
from sleuth.ui.app import app
from sleuth.ui.homes import homes
from sleuth.ui.safety import Door, Guarded, door_of

LEAVING = 2  # seconds that open pages have to leave when the server is stopped


def serve(folders: Sequence[Path], host: str, port: int, ready: Callable[[str], None]) -> None:
    """Until it is interrupted. `ready` is called with the link once requests are taken."""
    place = listening(host, port)
    door, made = server(folders, host, place)
    gc.freeze()  # lines of the list stay: no need to look through them again and again
    ready(link(door, host))
    made.run(sockets=[place])


def server(folders: Sequence[Path], host: str, place: socket.socket) -> tuple[Door, uvicorn.Server]:
    """The server of these archives, and whom it lets in; the runs are looked through before it is asked."""
    known = homes(folders)
    known.lines()
    own = door_of(host, place.getsockname()[1])
    pages = app(known)
    config = uvicorn.Config(
        Guarded(pages, own),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=LEAVING,
        lifespan="off",
    )
    made = uvicorn.Server(config)
    pages.state.ending = lambda: made.should_exit  # open pages would hold the server up
    return own, made


def link(own: Door, host: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{own.port}/?token={own.token}"


def listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(256)
    except OSError as error:
        made.close()
        raise SleuthError(
            f"Cannot listen on {host}:{port}: {error.strerror}. `--port 0` takes a free one."
        ) from None
    return made
