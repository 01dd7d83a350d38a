"""Databases that exist as long as a test."""

import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect

from tests.services.citus import distributed_database, is_cluster
from tests.services.migrated import copy_file, postgresql_database, template


@contextmanager
def empty_database(folder: Path, server_url: str) -> Iterator[str]:
    """The address of a new database without tables: a file in `folder`, or a database of the PostgreSQL server."""
    if server_url.startswith("postgres"):
        with postgresql_database(server_url.rpartition("/")[0], _new_name()) as url:
            yield url
    else:
        yield f"sqlite:///{folder / 'live.sqlite3'}"


@contextmanager
def migrated_database(folder: Path, server_url: str) -> Iterator[str]:
    """The same with all tables; on a cluster of Citus they are distributed."""
    if is_cluster(server_url):
        with distributed_database(_new_name()) as url:
            yield url
        return
    source = template(server_url)
    if server_url.startswith("postgres"):
        with postgresql_database(server_url.rpartition("/")[0], _new_name(), source) as url:
            yield url
    else:
        file = folder / "live.sqlite3"
        copy_file(source, file)
        yield f"sqlite:///{file}"


@contextmanager
def copied_database(folder: Path, url: str) -> Iterator[str]:
    """The address of a copy of that database, to which nobody is connected: a file in `folder`, or on its server."""
    if url.startswith("postgres"):
        server, _, name = url.rpartition("/")
        with postgresql_database(server, _new_name(), name) as copied:
            yield copied
    else:
        # Not as a file: the latest writes may be in a file beside it.
        with (
            closing(connect(url.removeprefix("sqlite:///"))) as made,
            closing(connect(folder / "live.sqlite3")) as copy,
        ):
            made.backup(copy)
        yield f"sqlite:///{folder / 'live.sqlite3'}"


def _new_name() -> str:
    return f"test_live_{uuid.uuid4().hex[:12]}"
