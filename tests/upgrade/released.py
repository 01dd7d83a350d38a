"""The databases of earlier releases, as `tests.upgrade.recording` wrote them down."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from tests.live.bulk_state import rows

_FOLDER = Path(__file__).parent
_COLUMNS = {
    "sqlite": "SELECT found.name, columns.name FROM sqlite_master AS found, pragma_table_info(found.name) AS columns "
    "WHERE found.type = 'table' AND found.name NOT LIKE 'sqlite%'",
    "postgresql": "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
}


def load(release: str, url: str) -> None:
    """Fill an empty database with that of the release."""
    script = (_FOLDER / release / f"{_kind(url)}.sql").read_text(encoding="utf-8")
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            file.executescript(script)
    else:
        with psycopg.connect(url) as connection:
            connection.execute(script.encode())


def answers(release: str, url: str) -> list[dict[str, Any]]:
    """What the release answered, from that database."""
    found: list[dict[str, Any]] = json.loads((_FOLDER / release / f"{_kind(url)}.json").read_text(encoding="utf-8"))
    return found


def columns(url: str) -> dict[str, list[str]]:
    """The names of all columns of each table."""
    found: dict[str, list[str]] = {}
    for table, column in rows(url, _COLUMNS[_kind(url)]):
        found.setdefault(table, []).append(column)
    return found


def contents(url: str, wanted: dict[str, list[str]]) -> dict[str, set[str]]:
    """The rows of each table, of its wanted columns alone."""
    return {
        table: {repr(row) for row in rows(url, f"SELECT {', '.join(map(_quoted, names))} FROM {_quoted(table)}")}
        for table, names in wanted.items()
    }


def _quoted(name: str) -> str:
    return f'"{name}"'


def _kind(url: str) -> str:
    return url.partition(":")[0]
