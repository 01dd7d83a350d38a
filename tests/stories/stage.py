"""The service as a group of companies runs it: web, worker and a separate database."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.services.clerk import errand
from tests.services.database import migrated_database
from tests.services.service import Service, serving
from tests.services.worker import RunningWorker, working, working_slowly

PASSWORD = "a-long-Word-42"
# The accounts of a chart that nobody needs any more.
FORMER = 300
# Plain http on this machine; deletions in so many steps that somebody sees them move; and nobody has to wait for half a
# minute until the end of a worker is noticed.
_VARIABLES = {
    "SECURE_COOKIES": "false",
    "DELETION_CHUNK_SIZE": "20",
    "WORKER_LOST_AFTER_SECONDS": "5",
    "WEB_CONCURRENCY": "1",
}


@dataclass
class Stage:
    """A running service; `service` calls it over REST with Alice's key."""

    service: Service
    worker: RunningWorker
    _database: str
    _folder: Path
    _running: ExitStack

    @property
    def address(self) -> str:
        """The URL of its pages."""
        return f"http://127.0.0.1:{self.service.port}"

    @contextmanager
    def without_worker(self) -> Iterator[None]:
        """Kill the worker; another one starts when the block ends."""
        self.worker.kill()
        try:
            yield
        finally:
            self.worker = self._running.enter_context(working(self._database, self._folder, **_VARIABLES))

    @contextmanager
    def slow_worker(self) -> Iterator[None]:
        """Until the block ends, the worker deletes so slowly that somebody can stop it half-way."""
        variables = {**_VARIABLES, "DELETION_CHUNK_SIZE": "5"}
        with self.without_worker(), working_slowly(self._database, self._folder, **variables):
            yield

    def bring_former_accounts(self) -> None:
        """Create the former accounts that are not there, and make the others as they were."""
        accounts = [
            {
                "id": f"OLD.{number:04}",
                "descriptions": {"en": f"Former account {number}", "de": f"Früheres Konto {number}"},
                "nature": "BALANCE_SHEET",
                "type": "NORMAL",
                "conversion": {"conversionType": "FINAL"},
            }
            for number in range(1, FORMER + 1)
        ]
        answer = self.service.send("POST", "/dimensions/v1/northwind/account/elements-bulk", {"merge": accounts})
        assert answer.status == 200, answer.body


@contextmanager
def open_stage(folder: Path, server_url: str) -> Iterator[Stage]:
    """The service on a new database, of the kind that `server_url` names, until the block ends."""
    with ExitStack() as running:
        database = running.enter_context(migrated_database(folder, server_url))
        key = errand(database, "from tests.stories.filling import fill; fill()")
        service = running.enter_context(serving(database, key, folder, **_VARIABLES))
        worker = running.enter_context(working(database, folder, **_VARIABLES))
        stage = Stage(service, worker, database, folder, running)
        stage.bring_former_accounts()
        yield stage
