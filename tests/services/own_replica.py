"""A streaming replica of a separate PostgreSQL server."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from tests.services.bulk_state import rows
from tests.services.own_postgresql import OwnServer, run
from tests.services.service import free_port
from tests.services.worker import wait_until


@contextmanager
def own_replica(primary: OwnServer) -> Iterator[OwnServer]:
    """A replica that follows the running `primary`, until the block ends."""
    folder = run(["mktemp", "-d"]).strip()
    replica = OwnServer(primary.programs, folder, free_port())
    try:
        source = (f"--dbname={primary.url}", f"--pgdata={folder}/data", "--checkpoint=fast", "--wal-method=stream")
        run([str(primary.programs / "pg_basebackup"), *source, "--write-recovery-conf", "--no-sync"])
        replica.start()
        try:
            yield replica
        finally:
            if replica.is_running:
                replica.stop()
    finally:
        run(["rm", "-rf", folder])


def patient(replica: OwnServer) -> str:
    """Its address for a service that waits until it answers: a slow machine is not a failure, and a failed one refuses.

    Usually nobody waits longer than two seconds.
    """
    return f"{replica.url}?connect_timeout=60"


def pause(replica: OwnServer) -> None:
    """Make it stop replaying what it gets from the primary."""
    do(replica, "SELECT pg_wal_replay_pause()")
    wait_until(lambda: rows(replica.url, "SELECT pg_get_wal_replay_pause_state()") == [("paused",)], "It still replays")


def resume(replica: OwnServer) -> None:
    """Make it continue."""
    do(replica, "SELECT pg_wal_replay_resume()")


def follow(primary: OwnServer, replica: OwnServer) -> None:
    """Return as soon as the replica has all that the primary has now."""
    # What no commit has written out goes to the replica with the next one, which may take seconds.
    rows(primary.url, "SELECT pg_logical_emit_message(true, '', '')")
    ((written,),) = rows(primary.url, "SELECT pg_current_wal_insert_lsn()::text")
    wait_until(
        lambda: rows(replica.url, "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", written) == [(True,)],
        "It does not follow",
    )


def do(server: OwnServer, sql: str) -> None:
    """Run a statement outside of a transaction."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(sql.encode())
