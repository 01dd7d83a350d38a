"""The client of the benchmark counts whole responses, and notices each incomplete one."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.load.bench.load import drain, rate, request

CHUNKED = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[1\r", b"\n1\r\n]\r\n0\r\n", b"\r\n"]
MEASURED = [b"HTTP/1.1 200 OK\r\nContent-", b"Length: 3\r\n\r\n[", b"1]"]
ASKED = request("GET", "/northwind", {})


@contextmanager
def answering(*pieces: bytes) -> Iterator[int]:
    """The port of a server that answers each request with these pieces, one packet each, and then closes."""

    def answer() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.recv(4096)
                for piece in pieces:
                    connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextmanager
def conversing(pieces: Sequence[bytes]) -> Iterator[int]:
    """The port of a server that answers one request after the other on one connection."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            while connection.recv(4096):
                for piece in pieces:
                    connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


@pytest.mark.parametrize("pieces", [CHUNKED, MEASURED], ids=["in chunks", "with its length"])
def test_a_whole_answer_is_read_to_its_end(pieces):
    with answering(*pieces) as port:
        assert drain(port, ASKED) > 0


@pytest.mark.parametrize("pieces", [CHUNKED, MEASURED], ids=["in chunks", "with its length"])
def test_an_incomplete_answer_does_not_count(pieces):
    """A service that dies in the middle of a list is not fast."""
    with answering(*pieces[:-1]) as port, pytest.raises(AssertionError, match="broke off"):
        drain(port, ASKED)


def test_a_refusal_is_not_an_answer():
    with (
        answering(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n") as port,
        pytest.raises(AssertionError, match="401"),
    ):
        drain(port, ASKED)


@pytest.mark.parametrize("pieces", [CHUNKED, MEASURED], ids=["in chunks", "with its length"])
def test_answers_on_a_kept_connection_are_counted(pieces):
    """The next request is sent when the last answer is whole, in however many pieces it came."""
    with conversing(pieces) as port:
        reached = rate(port, [ASKED], connections=1, seconds=0.05)
        assert reached.per_second > 0
