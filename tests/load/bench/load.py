"""The client of the benchmark: it sends prepared bytes, and looks at no more of an answer than where it ends.

It shares the processors with what it measures, so each microsecond here is one less for them.
"""

import itertools
import selectors
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

_HOST = "127.0.0.1"
_TIMEOUT = 600
_PIECE = 256 * 1024
_LENGTH = b"\r\nContent-Length: "
_END_OF_CHUNKS = b"\r\n0\r\n\r\n"


@dataclass(frozen=True)
class Rate:
    """How many answers came, how many that is a second, and the seconds of a processor that the client took."""

    count: int
    per_second: float
    client: float


def request(method: str, path: str, headers: Mapping[str, str], body: bytes = b"", *, last: bool = False) -> bytes:
    """The bytes of a request; after the answer to the `last` one of a connection the server closes it."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {_HOST}", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    if last:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode() + body


def drain(port: int, sent: bytes) -> float:
    """Send the last request of a connection and read all that comes, keeping nothing; return the seconds it took.

    An answer that is not 2xx, or that breaks off, is an AssertionError.
    """
    buffer = bytearray(_PIECE)
    start = time.perf_counter()
    with _connected(port) as connection:
        connection.sendall(sent)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(_PIECE)
            assert piece, "There was no answer."
            head += piece
        total = len(head)
        end = head[-len(_END_OF_CHUNKS) :]
        while received := connection.recv_into(buffer):
            total += received
            end = (end + buffer[max(0, received - len(_END_OF_CHUNKS)) : received])[-len(_END_OF_CHUNKS) :]
        seconds = time.perf_counter() - start
    assert head[9:10] == b"2", head
    place = head.find(b"\r\n\r\n")
    length = _length(head[:place])
    whole = end == _END_OF_CHUNKS if length is None else total == place + 4 + length
    assert whole, f"The answer broke off after {total} bytes."
    return seconds


def rate(
    port: int,
    requests: Sequence[bytes],
    *,
    connections: int,
    seconds: float,
    during: AbstractContextManager[Any] | None = None,
) -> Rate:
    """Send the requests again and again for that many seconds over that many connections that are kept.

    Each connection waits for its answer before it sends the next request. Connections, and what the server does only
    once for each of its threads, count for nothing: there is a short run before. What counts happens `during` that.
    """
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        for _ in range(connections):
            connection = stack.enter_context(_connected(port))
            selector.register(connection, selectors.EVENT_READ, _Conversation(connection))
        endless = itertools.cycle(requests)
        _exchange(selector, endless, min(0.5, seconds / 4))
        busy = time.process_time()
        with during or nullcontext():
            start = time.perf_counter()
            count, end = _exchange(selector, endless, seconds)
        return Rate(count, count / (end - start), time.process_time() - busy)


class _Conversation:
    """One connection: asks, and notices when the answer is whole."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = b""
        self._length = 0

    def ask(self, sent: bytes) -> None:
        self._received = b""
        self._length = 0
        self._connection.sendall(sent)

    def is_answered(self) -> bool:
        """Receive what is there; return whether that was the rest of the response."""
        piece = self._connection.recv(_PIECE)
        assert piece, "The server closed the connection."
        self._received = self._received + piece if self._received else piece
        if self._length == 0:
            place = self._received.find(b"\r\n\r\n")
            if place < 0:
                return False
            assert self._received[9:10] == b"2", self._received
            length = _length(self._received[:place])
            self._length = -1 if length is None else place + 4 + length
        if self._length < 0:
            return self._received.endswith(_END_OF_CHUNKS)
        return len(self._received) >= self._length


def _exchange(selector: selectors.BaseSelector, requests: Iterator[bytes], seconds: float) -> tuple[int, float]:
    """Let every connection ask for so long; return how many answers came, and the moment of the last."""
    waiting = 0
    for key in selector.get_map().values():
        key.data.ask(next(requests))
        waiting += 1
    count = 0
    now = time.perf_counter()
    deadline = now + seconds
    while waiting:
        for key, _ in selector.select(_TIMEOUT):
            if key.data.is_answered():
                count += 1
                now = time.perf_counter()
                if now < deadline:
                    key.data.ask(next(requests))
                else:
                    waiting -= 1
    return count, now


def _length(head: bytes) -> int | None:
    """What the head of an answer says about the length of its body, nothing when it comes in chunks."""
    place = head.find(_LENGTH)
    return None if place < 0 else int(head[place + len(_LENGTH) :].split(b"\r\n", 1)[0])


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection((_HOST, port), timeout=_TIMEOUT) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection
