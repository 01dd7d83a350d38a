"""The process of the web server: gunicorn's own with threads, but no client keeps a thread for good."""

import select
import socket
import time
from contextlib import suppress
from typing import Any, ClassVar

from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn

from dimensions_site.fair_worker import FairWorker
from dimensions_site.refusing_worker import RefusingWorker
from dimensions_site.tls_worker import TlsWorker

_SECONDS_BETWEEN_SIGNS = 1


class WebWorker(FairWorker, TlsWorker, RefusingWorker):
    """Closes connections whose headers do not come to an end; nothing is answered, for nobody knows what was asked.

    gunicorn itself waits for ever: a few clients that have gone away in the middle of a line would end the service.
    """

    # How long the headers of a request may take from their first byte to their last, the handshake of TLS included.
    seconds_for_headers: ClassVar[float] = 10
    # How long a client may send nothing of a body, and how long it may take to receive a piece of an answer: as long
    # as PostgreSQL waits for the reader of a list (`DATABASES` in the settings).
    seconds_of_silence: ClassVar[float] = 60

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Connections whose headers are being read, with the moment at which they have to be there.
        self._reading: dict[TConn, float] = {}
        self._next_sign = 0.0

    def set_accept_enabled(self, enabled: bool) -> None:
        """Take new connections or none; once the server is to end, let nobody in any more.

        gunicorn itself keeps its doors open until the last answer is sent: who knocks would wait for it, and then be
        left without an answer. With all doors closed he is refused, and can ask another server.
        """
        super().set_accept_enabled(enabled)
        if enabled or self.alive:
            return
        for listener in self.sockets:
            while select.select([listener], [], [], 0)[0]:
                self.accept(listener)  # who stands within the door already
            listener.close()
        self.sockets: list[Any] = []  # this is asked twice when the signal comes between two steps of the loop

    def handle(self, conn: TConn) -> Any:
        """Read a request and answer it, in a thread."""
        self._reading[conn] = time.monotonic() + self.seconds_for_headers
        try:
            return super().handle(conn)
        finally:
            self._reading.pop(conn, None)

    def handle_request(self, req: Request, conn: TConn) -> Any:
        """Answer a request whose headers are there, in a thread."""
        self._reading.pop(conn, None)
        conn.sock.settimeout(self.seconds_of_silence)
        return super().handle_request(req, conn)

    def notify(self) -> None:
        """Give the sign of life, and end what took too long; a second apart, though gunicorn asks after each event."""
        now = time.monotonic()
        if now < self._next_sign:
            return
        self._next_sign = now + _SECONDS_BETWEEN_SIGNS
        super().notify()
        for conn, deadline in list(self._reading.items()):
            if deadline < now:
                # It makes the thread that reads find the end. The method of the plain socket, for that of TLS would
                # forget the session under the thread.
                with suppress(OSError):
                    socket.socket.shutdown(conn.sock, socket.SHUT_RDWR)
