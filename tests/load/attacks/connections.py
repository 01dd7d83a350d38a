"""Connections on which clients send nothing, or byte by byte."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Event, Thread

from tests.services.service import Service

# To the endpoint for tokens, which reads a body before it knows the client.
BODY = (
    b"POST /auth/jwt/token HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
)


@contextmanager
def connections(service: Service, count: int, beginning: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open that many connections, and send that part of a request on each."""
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            opened.append(stack.enter_context(socket.create_connection((service.host, service.port), timeout=30)))
            opened[-1].sendall(beginning)
        yield opened


@contextmanager
def dripping(service: Service, count: int, seconds: float) -> Iterator[None]:
    """That many clients, each of which sends a byte of a body every so many seconds, until the block ends."""
    with connections(service, count, BODY) as opened:
        over = Event()

        def drip() -> None:
            while not over.wait(seconds):
                for connection in opened:
                    with suppress(OSError):
                        connection.send(b" ")

        thread = Thread(target=drip)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
