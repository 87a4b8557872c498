"""Bytes on the wire of the language server; a message is handled by the real protocol, answers go nowhere."""

import io
import logging
import threading
from typing import Any, BinaryIO, cast

from pygls import io_

from sleuth.lsp import Bounded, server

BEGIN = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"processId":null}}'
QUIET = logging.Logger("quiet")  # what cannot be handled is told to nobody here
QUIET.addHandler(logging.NullHandler())


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def one(data: bytes) -> None:
    """The first byte says whether the frames are the input's own."""
    own = data[:1] == b"\0"
    wire = data[1:] if own else b"".join(framed(body) for body in data.split(b"\0") if body)
    stream = cast(BinaryIO, io.BytesIO(framed(BEGIN) + wire))
    server.protocol.set_writer(cast(Any, io.BytesIO()))
    try:
        io_.run(threading.Event(), Bounded(stream), server.protocol, QUIET, error_handler=lambda *_: None)
    except SystemExit:
        return
