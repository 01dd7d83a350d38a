"""Read the databases of earlier releases, as `tests.upgrade.recording` wrote them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from tests.services.bulk_state import rows

# The recorded releases, a folder each. None has been released yet.
RELEASES = sorted(file.parent for file in Path(__file__).parent.glob("*/migrations.sha256"))
_COLUMNS = {
    "sqlite": "SELECT found.name, columns.name FROM sqlite_master AS found, pragma_table_info(found.name) AS columns "
    "WHERE found.type = 'table' AND found.name NOT LIKE 'sqlite%'",
    "postgresql": "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
}


def load(release: Path, url: str) -> None:
    """Fill an empty database with that of the release in that folder."""
    script = (release / f"{kind_of(url)}.sql").read_text(encoding="utf-8")
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            file.executescript(script)
    else:
        with psycopg.connect(url) as connection:
            connection.execute(script.encode())


def answers(release: Path, url: str) -> list[dict[str, Any]]:
    """Return what the release answered, from that database."""
    found: list[dict[str, Any]] = json.loads((release / f"{kind_of(url)}.json").read_text(encoding="utf-8"))
    return found


def columns(url: str) -> dict[str, list[str]]:
    """Return the names of all columns of each table."""
    found: dict[str, list[str]] = {}
    for table, column in rows(url, _COLUMNS[kind_of(url)]):
        found.setdefault(table, []).append(column)
    return found


def contents(url: str, wanted: dict[str, list[str]]) -> dict[str, set[str]]:
    """Return the rows of each table, of its wanted columns alone."""
    return {
        table: {repr(row) for row in rows(url, f"SELECT {', '.join(map(_quoted, names))} FROM {_quoted(table)}")}
        for table, names in wanted.items()
    }


def _quoted(name: str) -> str:
    return f'"{name}"'


def kind_of(url: str) -> str:
    """Return the kind of the database, by which the files of a release are named; `postgres:` is short for it."""
    return "sqlite" if url.startswith("sqlite") else "postgresql"
