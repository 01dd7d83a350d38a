"""The process of the web server where several share the connections: a new one goes to who has the fewest."""

import time
from mmap import mmap
from typing import Any, ClassVar

from gunicorn.workers.gthread import TConn, ThreadWorker

# More than there are ever processes at a time, a reload that doubles them included.
_PLACES = 1_024
_BYTES = 4
# How long, in seconds, a process does not look at its doors when it leaves a connection to others.
_MOMENT = 0.001


class FairWorker(ThreadWorker):
    """Leaves a new connection to another process that has fewer open ones.

    The system wakes all processes, and gunicorn lets the first one take what is there: callers who keep their
    connections could all be with one process, on one processor, while the others have nothing to do.
    """

    # How long a connection may wait for the others, who may hang or be busy; who was woken takes it then.
    seconds_for_others: ClassVar[float] = 0.02
    # Its open connections, as gunicorn counts them.
    nr_conns: int
    # One more than the open connections of each process, by its age; 0 where there is none. It is made before the
    # processes are, and so it is the same memory for all of them.
    _open: ClassVar = memoryview(mmap(-1, _PLACES * _BYTES)).cast("i")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._place = self.age % _PLACES
        # Since when somebody waits at its doors who is left to others, until when it does not look, and how often
        # somebody was there when it did.
        self._left_since: float | None = None
        self._away_until = 0.0
        self._knocks = 0

    def set_accept_enabled(self, enabled: bool) -> None:
        """Take new connections or none; none while one is left to others."""
        if not enabled:
            self._left_since = None
        if not enabled and not self.alive:
            self.forget()
        if not enabled or time.monotonic() >= self._away_until:
            super().set_accept_enabled(enabled)

    def accept(self, listener: Any) -> None:
        """Take the connection that waits, or leave it to others for a moment."""
        self._knocks += 1
        if self.alive and self._has_more():
            now = time.monotonic()
            self._left_since = self._left_since or now
            if now < self._left_since + self.seconds_for_others:
                self._away_until = now + _MOMENT
                super().set_accept_enabled(False)
                return
        super().accept(listener)
        self._tell()

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait so many seconds at most for what happens next; no longer than it does not look at its doors.

        Who was left to others is looked for once, without waiting: he is there still, or has been taken.
        """
        self._tell()
        knocks = self._knocks
        if self._left_since is not None and self.alive and self.nr_conns < self.worker_connections:
            timeout = min(timeout, max(self._away_until - time.monotonic(), 0))
        super().wait_for_and_dispatch_events(timeout)
        if self._accepting and self._knocks == knocks:
            self._left_since = None

    def finish_request(self, conn: TConn, fs: Any) -> None:
        """Take note that a request is answered, or its connection has ended.

        gunicorn counts the end of a connection twice that was closed before, in the middle of a handshake of TLS for
        example.
        """
        before = self.nr_conns
        super().finish_request(conn, fs)
        self.nr_conns = max(self.nr_conns, before - 1)

    def forget(self) -> None:
        """Count this process no more: it has ended, or takes nobody any more."""
        self._open[self._place] = 0

    def _has_more(self) -> bool:
        """Whether another process has fewer open connections, and could take a caller: it stands at the same door."""
        mine = self.nr_conns + 1
        return not self.cfg.reuse_port and mine > min(filter(None, self._open), default=mine)

    def _tell(self) -> None:
        if self.alive:
            self._open[self._place] = self.nr_conns + 1
