"""A worker's signs of life while it does one long thing, in one transaction perhaps."""

from threading import Event, Thread
from types import TracebackType
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now

from bulkops.claims import Claim
from bulkops.models import FileImport
from bulkops.pulse import interval, pulse
from dimensions_site.repositories.locks import sqlite_patience

log = structlog.get_logger(__name__)

# How often people see that something moves, in seconds.
_BEAT = 1.0


class Interrupted(Exception):
    """What is done is no longer wanted, or has to be done by another worker."""


class Heart:
    """Writes, in a thread with a connection of its own, that an import is worked on and how far it is.

    So all can see it while the import itself is one transaction. On SQLite nothing can be written while that
    transaction writes; then what was written last stands.
    """

    def __init__(self, claim: Claim[FileImport]) -> None:
        self._claim = claim
        self._state: dict[str, Any] = {}
        self._is_lost = False
        self._is_over = Event()
        self._thread = Thread(target=self._live, daemon=True)

    def __enter__(self) -> "Heart":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def tell(self, phase: str, share: float) -> None:
        """The work has come so far; raises `Interrupted` when it has to stop here."""
        self._state = {"phase": phase, "progress": share}
        if self._is_lost or pulse.is_ending:
            raise Interrupted

    def _live(self) -> None:
        try:
            while not self._is_over.wait(min(_BEAT, interval())):
                pulse.beat()
                self._write()
        finally:
            connection.close()

    def _write(self) -> None:
        try:
            with sqlite_patience(_BEAT):
                self._is_lost = not self._claim.held.update(heartbeat=Now(), **self._state)
        except (DatabaseError, InterfaceError) as error:
            log.debug("no_sign_of_life", oid=self._claim.oid, error=str(error))
            connection.close_if_unusable_or_obsolete()
