"""The commands of docs/operators/recovery.md put a database back to a second between two writes."""

import string
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.services.bulk_state import marked, rows
from tests.services.clerk import prepare
from tests.services.deployment import FOLDER, skip_without
from tests.services.guide import commands, run
from tests.services.own_postgresql import OwnServer, as_user, own_postgresql
from tests.services.service import Service, serving
from tests.services.worker import wait_until

pytestmark = pytest.mark.contract("P5", "I4")
ACCOUNTS = "/dimensions/v1/northwind/account/elements"
NOW = "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')"


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server whose changes are archived, after its first full backup."""
    skip_without("pgbackrest")
    with own_postgresql() as made, pytest.MonkeyPatch.context() as monkeypatch:
        place = Path(made.folder)
        words = {"BACKUPS": f"{place}/backups", "DATA": f"{place}/data", "SOCKET": f"{place}", "PORT": f"{made.port}"}
        configuration = string.Template((FOLDER / "pgbackrest.conf").read_text()).substitute(words)
        (place / "pgbackrest.conf").write_text(configuration)
        (place / "pgbackrest.conf").chmod(0o644)
        monkeypatch.setenv("PGBACKREST_CONFIG", f"{place}/pgbackrest.conf")
        monkeypatch.setenv("PGBACKREST_LOG_LEVEL_FILE", "off")
        monkeypatch.setenv("PGBACKREST_LOCK_PATH", f"{place}/locks")
        archiving, backup = commands("Archiving")
        as_postgres(made, archiving)
        made.stop("fast")
        made.start()
        as_postgres(made, backup)
        yield made


def as_postgres(server: OwnServer, block: str, **variables: str) -> str:
    """Run commands of the page as the user of the server."""
    client = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres"}
    return run(block, Path(server.folder), server.url, as_user(), **client, **variables)


def committed_now(server: OwnServer) -> str:
    """The present second of the server's clock, after which nothing that was committed before it comes."""
    ((now,),) = rows(server.url, NOW)
    return str(now)


@contextmanager
def restored(server: OwnServer, moment: str) -> Iterator[None]:
    """The running server as it was at that moment."""
    server.stop("fast")
    (block,) = commands("Restoring a second")
    as_postgres(server, block, MOMENT=moment)
    server.start()
    wait_until(lambda: rows(server.url, "SELECT pg_is_in_recovery()") == [(False,)], "It does not end to replay")
    yield


def test_a_database_goes_back_to_a_second_between_two_writes(server: OwnServer, tmp_path: Path):
    """What was written before it is there, and nothing else; followers from after it are answered 410."""
    key = prepare(server.url)
    with serving(server.url, key, tmp_path) as service:
        assert write(service, "before") == 201
        early = token(service)
        moment = committed_now(server)
        assert write(service, "after") == 201
        late = token(service)
    with restored(server, moment), serving(server.url, key, tmp_path) as service:
        assert [element["id"] for element in service.send("GET", ACCOUNTS).json()] == ["before"]
        (verifying,) = commands("Verifying")
        assert "of 1 repository fit together" in run(verifying, tmp_path, server.url)
        assert service.send("GET", f"{ACCOUNTS}-changes?since={early}").status == 200
        refused = service.send("GET", f"{ACCOUNTS}-changes?since={late}")
        assert (refused.status, refused.json()["code"]) == (410, "TOKEN_EXPIRED")
        assert write(service, "again") == 201
        assert service.send("GET", f"{ACCOUNTS}-changes?since={late}").status == 410


def test_a_second_before_the_oldest_backup_is_refused_with_that_second(server: OwnServer):
    """Nothing is touched: the server starts again as it was."""
    (listing,) = commands("Which seconds there are")
    assert "full backup" in as_postgres(server, listing)
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE SCHEMA kept")
    server.stop("fast")
    (block,) = commands("Restoring a second")
    with pytest.raises(AssertionError, match=r"There is no backup of 2020-01-01 00:00:00\+00: the oldest second is 20"):
        as_postgres(server, block, MOMENT="2020-01-01 00:00:00+00")
    server.start()
    assert rows(server.url, "SELECT 1 FROM pg_namespace WHERE nspname = 'kept'") == [(1,)]


def write(service: Service, id: str) -> int:
    """The status of a POST of an account."""
    return service.send("POST", ACCOUNTS, marked(id, id)).status


def token(service: Service) -> str:
    """The token of the present state."""
    return service.send("GET", ACCOUNTS).headers["Sync-Token"]
