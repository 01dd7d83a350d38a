"""How long the deletion of many accounts takes: by the service in the background, and by two bare statements."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg

from tests.load.bench.bodies import identifier
from tests.load.bench.contestants import Contestant
from tests.services.worker import working

# How often a client polls for the end.
_PAUSE = 0.01
_TABLES = """
DROP TABLE IF EXISTS floor.elements, floor.history;
CREATE TABLE floor.elements (LIKE account_account INCLUDING ALL);
CREATE TABLE floor.history (LIKE account_accountversion INCLUDING ALL);
"""
_SHARED = """
SELECT column_name FROM information_schema.columns WHERE table_name = 'account_account' AND table_schema = 'public'
"""


@dataclass(frozen=True)
class Took:
    """The seconds until COMPLETED was seen, and those for an account that does not exist."""

    seconds: float
    wake_up: float


def asynchronous(
    contestant: Contestant, url: str, folder: Path, tenant: str, count: int, references: str = "ignore"
) -> Took:
    """Have the first `count` accounts of the repository deleted by the service and a worker that waits for work.

    With `references` as "refuse" the service looks whether others refer to them; none may.
    """
    with working(url, folder):
        wake_up, _ = _delete(contestant, tenant, ["nowhere"], references)
        seconds, deleted = _delete(contestant, tenant, [identifier(number) for number in range(count)], references)
    assert deleted == count
    return Took(seconds, wake_up)


def _delete(contestant: Contestant, tenant: str, ids: Sequence[str], references: str) -> tuple[float, int]:
    """Return the seconds until the end was seen, and the number of deleted accounts."""
    address = f"/dimensions/v1/{tenant}/account/elements-bulk-delete-async"
    body = json.dumps([{"id": id} for id in ids]).encode()
    start = time.perf_counter()
    started = contestant.call("POST", f"{address}?references={references}", body)
    status = f"{address}/{json.loads(started)['dataProcessingId']}"
    while (progress := json.loads(contestant.call("GET", status))[0])["status"] == "RUNNING":
        time.sleep(_PAUSE)
    seconds = time.perf_counter() - start
    assert progress["status"] == "COMPLETED", progress
    return seconds, progress["parameters"][0]["deleted"]


def bare(database: "psycopg.Connection", tenant: str, count: int) -> float:
    """Delete copies of the first `count` accounts in a table with the same indexes, and write their history."""
    columns = ", ".join(name for (name,) in database.execute(_SHARED))
    ids = [identifier(number) for number in range(count)]
    database.execute(_TABLES)
    database.execute(
        "INSERT INTO floor.elements SELECT account_account.* FROM account_account JOIN repositories_repository AS "
        "repository ON repository.id = repository_id WHERE db_id = %s AND element_id = ANY(%s)",
        [tenant, ids],
    )
    database.execute("ANALYZE floor.elements")
    start = time.perf_counter()
    with database.transaction():
        database.execute(
            f"INSERT INTO floor.history ({columns}, change, change_set_id) "
            f"SELECT {columns}, '-', %s FROM floor.elements WHERE element_id = ANY(%s)",
            [uuid4(), ids],
        )
        database.execute("DELETE FROM floor.elements WHERE element_id = ANY(%s)", [ids])
    return time.perf_counter() - start
