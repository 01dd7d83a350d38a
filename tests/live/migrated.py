"""Databases with all tables, copied from one that is made once: the migrations take seven seconds, a copy none."""

import fcntl
import hashlib
import shutil
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect

import psycopg
from psycopg import sql

from tests.live.service import PROJECT, manage

_FOLDER = PROJECT / ".pytest_cache" / "migrated"
# What decides which tables there are.
_SOURCES = ("requirements.lock", "dimensions_site/settings.py", "*/migrations/*.py", "*/*/migrations/*.py")


def template(server_url: str) -> str:
    """The file of a migrated SQLite database, or the name of one of the PostgreSQL server.

    It is made when it is missing, and those of an older state of the migrations go. Nobody may work in it.
    """
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for source in sorted(PROJECT.glob(pattern)):
            digest.update(source.read_bytes())
    name = f"test_migrated_{digest.hexdigest()[:12]}"
    _FOLDER.mkdir(parents=True, exist_ok=True)
    # The processes of a run come here at the same time.
    with (_FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if server_url.startswith("postgres"):
            return _in_postgresql(server_url.rpartition("/")[0], name)
        return _as_file(name)


def _as_file(name: str) -> str:
    file = _FOLDER / f"{name}.sqlite3"
    if not file.exists():
        for old in _FOLDER.glob("*.sqlite3*"):
            old.unlink()
        unfinished = _FOLDER / f"{uuid.uuid4().hex}.sqlite3"
        manage(f"sqlite:///{unfinished}", "migrate", "--verbosity=0")
        with closing(connect(unfinished)) as made:
            # One file without companions can be copied.
            made.execute("PRAGMA journal_mode=DELETE")
        unfinished.rename(file)
    return str(file)


def _in_postgresql(server: str, name: str) -> str:
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        known = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'test_migrated_%'").fetchall()
        if (name,) not in known:
            for (old,) in known:
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(old)))
            with postgresql_database(server, f"{name}_unfinished") as url:
                manage(url, "migrate", "--verbosity=0")
                connection.execute(
                    sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                        sql.Identifier(name), sql.Identifier(f"{name}_unfinished")
                    )
                )
    return name


@contextmanager
def postgresql_database(server: str, name: str, template: str = "template1") -> Iterator[str]:
    """The address of a new database with that name, a copy of the `template`, until the block ends."""
    new = sql.Identifier(name)
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(new, sql.Identifier(template)))
        try:
            yield f"{server}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(new))


def copy_file(template: str, place: Path) -> None:
    """Put a copy of the template's file there."""
    shutil.copyfile(template, place)
