"""Messages between the process that runs the script and the one beside it that keeps the record."""

import json
import select
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]


@dataclass
class Channel:
    """Lines of JSON over a socket. It never raises: an end that is gone is `over`."""

    socket: socket.socket
    buffer: bytes = b""
    over: bool = False

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, message: Message) -> None:
        with suppress(OSError):
            self.socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, seconds: float | None = None) -> Message | None:
        """The next message; None when none came in time, or the other end is gone."""
        while b"\n" not in self.buffer:
            if self.over or not select.select([self.socket], [], [], seconds)[0]:
                return None
            self._read()
        line, _, self.buffer = self.buffer.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def _read(self) -> None:
        received = b""
        with suppress(OSError):
            received = self.socket.recv(1 << 16)
        self.buffer += received
        self.over = not received

    def close(self) -> None:
        self.socket.close()
