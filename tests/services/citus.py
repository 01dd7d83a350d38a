"""Distributed databases on a cluster of Citus, whose coordinator TEST_CITUS_URL names (`make test-citus`)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import Connection, sql

from tests.services.service import manage

_URL = os.environ.get("TEST_CITUS_URL", "")


def is_cluster(server_url: str) -> bool:
    """Whether that is the address of the coordinator."""
    return _URL != "" and server_url == _URL


# The tests of the rules run on a distributed database, too.
IS_CITUS = is_cluster(os.environ.get("DATABASE_URL", ""))


@contextmanager
def distributed_database(name: str) -> Iterator[str]:
    """The address of a new database with that name, with all tables, which are distributed, until the block ends."""
    try:
        yield make_distributed(name)
    finally:
        drop_everywhere(name)


def make_distributed(name: str, *, distribute: bool = True) -> str:
    """Make a new database on each node, with all tables, which are distributed; return its address.

    The workers are those of the database in TEST_CITUS_URL.
    """
    drop_everywhere(name)
    [coordinator, *workers] = nodes = _nodes()
    for node in nodes:
        with _connected(node, "postgres") as server:
            server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        with _connected(node, name) as database:
            database.execute("CREATE EXTENSION citus")
    for worker in workers:
        with _connected(worker, "postgres") as server:
            server.execute(sql.SQL("ALTER DATABASE {} SET lock_timeout = '20s'").format(sql.Identifier(name)))
    with _connected(coordinator, name) as database:
        database.execute("SELECT citus_set_coordinator_host(%s, %s)", coordinator)
        for worker in workers:
            database.execute("SELECT citus_add_node(%s, %s)", worker)
    url = f"{_URL.rpartition('/')[0]}/{name}"
    manage(url, "migrate", "--verbosity=0")
    if distribute:
        manage(url, "distribute")
    return url


def drop_everywhere(name: str) -> None:
    """Drop the database on each node."""
    for node in _nodes():
        with _connected(node, "postgres") as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _nodes() -> list[tuple[str, int]]:
    """The addresses of the coordinator and of the workers."""
    with psycopg.connect(_URL) as database:
        workers = database.execute("SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards").fetchall()
        return [(database.info.host, database.info.port), *workers]


@contextmanager
def _connected(node: tuple[str, int], name: str) -> Iterator[Connection]:
    host, port = node
    url = psycopg.conninfo.make_conninfo(_URL, host=host, port=port, dbname=name)
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection
