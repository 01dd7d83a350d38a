"""Databases that live as long as a test."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql


@contextmanager
def empty_database(folder: Path, server_url: str) -> Iterator[str]:
    """The address of a new database: a file in `folder`, or a database of the PostgreSQL server."""
    if not server_url.startswith("postgres"):
        yield f"sqlite:///{folder / 'live.sqlite3'}"
        return
    server = server_url.rpartition("/")[0]
    name = f"test_live_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{server}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
