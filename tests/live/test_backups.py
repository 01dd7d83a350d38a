"""The commands of the guide back up a running service, and what they restore is consistent."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
import pytest

from tests.load.chaos.deletion import remaining
from tests.services.bulk_state import marked
from tests.services.clerk import prepare
from tests.services.guide import commands, run
from tests.services.own_postgresql import own_postgresql
from tests.services.programs import LIST, Record, calling, unsound, versions
from tests.services.service import serving
from tests.services.worker import MANY, QUICK, delete, fill, hasten, wait_until, working, working_slowly

SLOW = {"DELETION_CHUNK_SIZE": "1", **QUICK}


@dataclass(frozen=True)
class Place:
    """The databases `dimensions` and `restored` of the guide; the second does not exist yet."""

    product: str
    url: str
    restored: str
    environment: dict[str, str] = field(default_factory=dict)


@contextmanager
def place(folder: Path) -> Iterator[Place]:
    """Files in the folder, or a server of their own, whose names for databases are those of the guide."""
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        yield Place("SQLite", f"sqlite:///{folder}/dimensions.sqlite3", f"sqlite:///{folder}/restored.sqlite3")
        return
    with own_postgresql() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE dimensions LOGIN")
            connection.execute("CREATE DATABASE dimensions OWNER dimensions")
        address = f"postgresql://dimensions@127.0.0.1:{server.port}"
        path = f"{server.programs}:{os.environ['PATH']}"
        client = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres", "PATH": path}
        yield Place("PostgreSQL", f"{address}/dimensions", f"{address}/restored", client)


def follow(heading: str, folder: Path, url: str, variables: dict[str, str]) -> None:
    """Run the commands below the heading."""
    for block in commands(heading):
        run(block, folder, url, **variables)


def answered(record: Record) -> dict[str, int]:
    """How many versions each call has written that has succeeded until now, by its mark."""
    return {write.mark: write.versions for write in list(record.writes) if write.status in (200, 201)}


@pytest.mark.contract("E2", "F6", "C18")
def test_a_backup_of_a_working_service_is_whole_and_goes_on(tmp_path: Path):
    """Everything answered before is in it, each call as a whole or not at all; a deletion continues where it was."""
    with ExitStack() as stack:
        here = stack.enter_context(place(tmp_path))
        key = prepare(here.url)
        service = stack.enter_context(serving(here.url, key, tmp_path, **SLOW))
        kept = service.send("POST", LIST, marked("kept", "kept")).json()
        with working_slowly(here.url, tmp_path, **SLOW), calling(service, deletes=False) as record:
            ids = fill(here.url, "shrinking", MANY)
            deletion = delete(service, ids, "shrinking")
            deletion.wait_for_progress(3)
            wait_until(lambda: len(answered(record)) > 50, "Too little is written")
            before = answered(record)
            follow(f"Backing up {here.product}", tmp_path, here.url, here.environment)
            assert deletion.progress()["status"] == "RUNNING"
            until_now = len(answered(record))
            wait_until(lambda: len(answered(record)) > until_now + 3, "Nobody writes any more")

        follow(f"Restoring {here.product}", tmp_path, here.url, here.environment)
        follow("After restoring", tmp_path, here.restored, here.environment)
        (tmp_path / "restored").mkdir()
        restored = stack.enter_context(serving(here.restored, key, tmp_path / "restored", **SLOW))
        of_deletion = replace(deletion, service=restored)

        assert restored.send("GET", f"{LIST}/kept").json() == kept
        stored = versions(here.restored)
        assert stored.pop("kept") == 1
        assert before.items() <= stored.items()
        assert stored.items() <= {write.mark: write.versions for write in record.writes}.items()
        assert len(stored) > len(before)
        assert record.wrong == []

        progress = of_deletion.progress()
        assert progress["status"] == "RUNNING"
        assert 3 <= progress["processed"] == progress["deleted"] < len(ids)
        hasten(here.restored)
        with working(here.restored, tmp_path, **QUICK):
            wait_until(lambda: restored.send("GET", "/health/ready").status == 200, "Not ready")
            assert of_deletion.ended()["deleted"] == len(ids)
        assert remaining(here.restored, "shrinking") == (0, len(ids))
        assert unsound(here.restored) == []
