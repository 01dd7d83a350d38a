"""Sends bytes on a raw connection, politely or not, and reads the response."""

import socket
import struct
import time
from contextlib import suppress

from tests.load.fuzz.attempts import Attempt, Manner

# How long a server may be silent, in seconds: less than that is normal on a slow machine.
TIMEOUT = 60
# How long such a client waits before it closes the connection, in seconds.
_HASTE = 0.5


class Silent(Exception):
    """The server neither answered nor closed the connection."""


def play(port: int, attempt: Attempt) -> bytes:
    """Send the request as its manner says; return all that comes back. Raises Silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
        # If it is refused before all of it is sent, the response may already be there.
        with suppress(OSError):
            _send(connection, attempt)
        if attempt.manner is Manner.ABORTED:
            _reset(connection)
            return b""
        if attempt.manner is Manner.UNREAD:
            connection.settimeout(_HASTE)
            with suppress(OSError):
                connection.recv(100)
            _reset(connection)
            return b""
        return _receive(connection)


def _send(connection: socket.socket, attempt: Attempt) -> None:
    raw, random = attempt.raw, attempt.random
    match attempt.manner:
        case Manner.SLOWLY:
            for _ in range(random.randint(2, 8)):
                part, raw = raw[: (size := random.randint(0, len(raw)))], raw[size:]
                connection.sendall(part)
                time.sleep(random.uniform(0, 0.05))
        case Manner.CUT | Manner.ABORTED:
            raw = raw[: random.randint(0, len(raw))]
        case Manner.TWICE:
            raw += raw
    connection.sendall(raw)
    if attempt.manner not in (Manner.ABORTED, Manner.UNREAD):
        # Nothing more comes: the server need not wait for it.
        connection.shutdown(socket.SHUT_WR)


def _receive(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    received = bytearray()
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            piece = connection.recv(64 * 1024)
        except TimeoutError:
            raise Silent from None
        except ConnectionError:
            break  # what was not read of the request makes the server reset the connection
        if not piece:
            break
        if time.monotonic() > deadline:
            raise Silent
        received += piece
    return bytes(received)


def _reset(connection: socket.socket) -> None:
    """Have the connection reset when it is closed, instead of ended in good order."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
