"""A replica that has to replay what a list still reads cancels the list: no client takes the part for the whole."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg
import pytest

from tests.services.bulk_state import rows
from tests.services.clerk import prepare
from tests.services.own_postgresql import OwnServer, own_postgresql
from tests.services.own_replica import own_replica, patient
from tests.services.service import Service, serving
from tests.services.worker import QUICK, fill, wait_until

LONG = "/dimensions/v1/long/account/elements"
# Enough that a list does not fit into the buffers between two programs: 20 MB.
COUNT = 6_000
# Of the lock, or of what PostgreSQL cleaned up beside it; each may be counted for several queries.
_CONFLICTS = "SELECT conflicts > 0 FROM pg_stat_database WHERE datname = current_database()"
_RECEIVED = "SELECT pg_last_wal_receive_lsn() >= %s::pg_lsn"
_READING = (
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
    "AND query LIKE '%%account_account%%'"
)


@dataclass(frozen=True)
class Stage:
    """A primary, a replica that lets no query delay it, and a web server that knows both."""

    primary: OwnServer
    replica: OwnServer
    service: Service


@pytest.fixture
def stage(tmp_path) -> Iterator[Stage]:
    with ExitStack() as stack:
        primary = stack.enter_context(own_postgresql())
        key = prepare(primary.url)
        fill(primary.url, "long", COUNT)
        replica = stack.enter_context(own_replica(primary))
        do(replica, "ALTER SYSTEM SET max_standby_streaming_delay = 0")
        do(replica, "SELECT pg_reload_conf()")
        yield Stage(
            primary,
            replica,
            stack.enter_context(serving(primary.url, key, tmp_path, REPLICA_URL=patient(replica), **QUICK)),
        )


@pytest.mark.contract("D7")
def test_a_list_that_is_in_the_way_of_the_replica_ends_without_its_end(stage: Stage):
    """A slow reader sees that it broke off; a second request gets all of it."""
    with stage.service.begin_to_read(LONG) as slow:
        slow.recv(1_000)
        wait_until(lambda: rows(stage.replica.url, _READING) != [(0,)], "Nothing is read from the replica")
        # As a migration does. The replica has to lock the table, too, and the list is in its way.
        do(stage.primary, "ALTER TABLE account_account ADD COLUMN remark text")
        ((written,),) = rows(stage.primary.url, "SELECT pg_current_wal_flush_lsn()::text")
        wait_until(lambda: rows(stage.replica.url, _RECEIVED, written) == [(True,)], "The replica gets nothing")
        assert not rest(slow).endswith(b"\r\n0\r\n\r\n")
    wait_until(lambda: rows(stage.replica.url, _CONFLICTS) == [(True,)], "No conflict is counted")

    found = stage.service.send("GET", LONG).json()
    assert len(found) == COUNT


def rest(connection: socket.socket) -> bytes:
    """The last bytes that come."""
    end = b""
    try:
        while received := connection.recv(1 << 20):
            end = (end + received)[-100:]
    except ConnectionResetError:
        pass
    return end


def do(server: OwnServer, sql: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(sql.encode())
