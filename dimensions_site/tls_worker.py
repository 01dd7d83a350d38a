"""The process of the web server where it speaks TLS itself: https at one of its addresses, http at the others."""

from copy import copy
from typing import Any, ClassVar

from gunicorn.config import CertFile, Config, KeyFile
from gunicorn.workers.gthread import TConn, ThreadWorker


class TlsWorker(ThreadWorker):
    """Asks for TLS at one port only; gunicorn itself does so at all of its addresses, or at none."""

    # None where it speaks none (`gunicorn.conf.py`).
    tls_port: ClassVar[int | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._plain = _without_tls(self.cfg)

    def handle(self, conn: TConn) -> Any:
        """Read a request and answer it, in a thread."""
        is_safe = isinstance(conn.server, tuple) and conn.server[1] == self.tls_port
        conn.cfg = self.cfg if is_safe else self._plain
        return super().handle(conn)


def _without_tls(config: Config) -> Config:
    plain = copy(config)
    plain.settings = {**config.settings, "certfile": CertFile(), "keyfile": KeyFile()}
    return plain
