"""What is written into the large repository, how long it takes, and what it adds to the history."""

import functools
import json
from collections.abc import Iterator, Mapping
from random import Random
from time import time_ns
from typing import Any

import orjson

from tests.load.bench import deletion, load
from tests.load.bench.bodies import bulk, identifier
from tests.load.bench.contestants import Contestant
from tests.load.growth.bodies import accounts
from tests.load.growth.loading import Rig, forget_saved
from tests.load.growth.reading import ELEMENTS
from tests.load.growth.stages import LARGE, Stage

HISTORY = "account_accountversion"
# Beyond all ids that are there at any stage.
_FIRST = 5_000_000
# More than are sent in a second: an element that is sent again unchanged is not written.
_DIFFERENT = 2_000


def changes() -> bytes:
    """The body of a patch that no account is like yet."""
    return json.dumps({"documentationLink": f"https://example.com/{time_ns()}"}).encode()


def saved(rig: Rig, stage: Stage, seconds: float) -> Iterator[tuple[str, float]]:
    """Patch one account after the other for that many `seconds`; then create, replace and patch many by one call each.

    The milliseconds of a patch, the seconds of each call, and the bytes of history for each account. What was created
    is deleted at the end.
    """
    service = rig.service
    drawn = Random(time_ns()).choices(range(stage.large), k=_DIFFERENT)
    patches = [service.patching(LARGE, identifier(number), changes()) for number in drawn]
    yield "patch", 1000 / load.rate(service.port, patches, connections=1, seconds=seconds).per_second
    for operation in ("post", "put", "patch"):
        before = _size(rig, HISTORY)
        yield f"bulk-{operation}", load.drain(service.port, service.saving(LARGE, _body(operation, stage.bulk)))
        yield f"size-{operation}", (_size(rig, HISTORY) - before) / stage.bulk
        assert _count(service) == stage.large + stage.bulk
    assert _versions(rig) == {"+": stage.bulk, "~": 2 * stage.bulk}
    forget_saved(rig, _FIRST)
    assert _count(service) == stage.large


def deleted(rig: Rig, stage: Stage) -> Iterator[tuple[str, float]]:
    """Have the first accounts deleted in the background.

    The seconds from the request to the answer that says COMPLETED, in which the worker wakes up, too, and the bytes of
    history for each account.
    """
    service = rig.service
    before = _size(rig, HISTORY)
    yield "deletion", deletion.asynchronous(service, rig.url, rig.folder, LARGE, stage.deleted).seconds
    yield "size-delete", (_size(rig, HISTORY) - before) / stage.deleted
    assert _count(service) == stage.large - stage.deleted
    (first,) = orjson.loads(service.call("GET", f"{ELEMENTS}?take=1"))
    assert first["id"] == identifier(stage.deleted)


def sizes(rig: Rig, stage: Stage) -> Mapping[str, float]:
    """What the tables take at this stage: bytes for each account, and the megabytes of the database."""
    (database,) = rig.database.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
    return {
        "size-account": _size(rig, "account_account") / stage.total,
        "size-search": _size(rig, "account_account_search") / stage.total,
        "size-database": database / 1e6,
    }


def _size(rig: Rig, table: str) -> int:
    (size,) = rig.database.execute("SELECT pg_total_relation_size(%s)", [table]).fetchone() or (0,)
    return int(size)


def _count(service: Contestant) -> int:
    return int(service.call("GET", f"{ELEMENTS}-count"))


def _versions(rig: Rig) -> Mapping[str, int]:
    """How many versions of each kind the accounts have that were saved."""
    found = rig.database.execute(
        f"SELECT change, count(*) FROM {HISTORY} WHERE element_id >= %s GROUP BY 1", [identifier(_FIRST)]
    )
    return dict(found.fetchall())


@functools.cache
def _body(operation: str, count: int) -> bytes:
    if operation == "patch":
        return bulk(operation, _patches(count))
    return bulk(operation, accounts(count, first=_FIRST, changed=operation == "put"))


def _patches(count: int) -> Iterator[Mapping[str, Any]]:
    for number in range(_FIRST, _FIRST + count):
        yield {"key": {"id": identifier(number)}, "data": {"documentationLink": "https://example.com/"}}
