"""Databases with all tables, copied from one that is made once: the migrations take seven seconds, a copy none."""

import fcntl
import hashlib
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect

import psycopg
from psycopg import sql

from tests.services.own_postgresql import server_programs
from tests.services.service import PROJECT, manage

_FOLDER = PROJECT / ".pytest_cache" / "migrated"
# Two checkouts that share a PostgreSQL server do not touch each other's templates.
_OWN = f"test_migrated_{hashlib.sha256(str(PROJECT).encode()).hexdigest()[:8]}_"
# What decides which tables there are.
_SOURCES = ("requirements.lock", "dimensions_site/settings.py", "*/migrations/*.py", "*/*/migrations/*.py")


def template(server_url: str) -> str:
    """The file of a migrated SQLite database, or the name of one of the PostgreSQL server.

    It is created if missing, and those of older migrations are removed. Nothing may write to it.
    """
    with _alone() as name:
        if server_url.startswith("postgres"):
            return _in_postgresql(server_url.rpartition("/")[0], name)
        return _as_file(name)


def lay_tables(url: str) -> None:
    """Give a database all tables when it has none, or no file yet: also one on a server that has no template."""
    if not url.startswith("postgres"):
        file = Path(url.removeprefix("sqlite:///").partition("?")[0])
        if not file.exists():
            copy_file(template(""), file)
        return
    with psycopg.connect(url) as connection:
        if connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").fetchone():
            return
    with _alone() as name:
        script = _FOLDER / f"{name}.sql"
        if not script.exists():
            for old in _FOLDER.glob("*.sql"):
                old.unlink()
            manage(url, "migrate", "--verbosity=0")
            unfinished = script.with_suffix(".unfinished")
            _run("pg_dump", "--no-owner", "--no-privileges", f"--file={unfinished}", f"--dbname={url}")
            unfinished.rename(script)
            return
    _run("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--file={script}", f"--dbname={url}")


def _run(program: str, *words: str) -> None:
    subprocess.run([str(server_programs() / program), *words], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def _alone() -> Iterator[str]:
    """The name of the migrations' state, for one process at a time: all processes of a run need it at once."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for source in sorted(PROJECT.glob(pattern)):
            digest.update(source.read_bytes())
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with (_FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield f"{_OWN}{digest.hexdigest()[:12]}"


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
        known = connection.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [_OWN]).fetchall()
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
