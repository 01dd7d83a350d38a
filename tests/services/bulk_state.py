"""What calls have left in the database, read beside the service and without Django: every call writes its own mark."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import psycopg

# Citus joins rows of one repository only.
WITH_LOGIC = (
    "JOIN account_calculationlogic AS logic ON logic.account_id = stored.id "
    "AND logic.repository_id = stored.repository_id"
)


def rows(url: str, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """The rows that a query finds, committed as they are now; places for parameters are `%s`."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60)) as file:
            return file.execute(sql.replace("%s", "?"), parameters).fetchall()
    with psycopg.connect(url) as connection:
        return connection.execute(sql.encode(), parameters).fetchall()


def marked(id: str, mark: str) -> dict[str, Any]:
    """An account whose mark says who wrote it, and that asks for the calculation logic."""
    return {
        "id": id,
        "descriptions": {"en": id},
        "nature": "BALANCE_SHEET",
        "type": "NORMAL",
        "conversion": {"conversionType": "FINAL"},
        "documentationLink": mark,
        "customAttributes": {mark: "was here"},
        "rules": {"grossAmountEqualICSum": True},
    }


@dataclass(frozen=True)
class Counts:
    """How much of one call is stored: elements, versions in the history, calculation logics."""

    elements: int
    versions: int
    logics: int


def counts(url: str, mark: str) -> Counts:
    """What is stored with the mark."""
    sources = (
        "account_account AS stored",
        "account_accountversion AS stored",
        f"account_account AS stored {WITH_LOGIC}",
    )
    return Counts(
        *(rows(url, f"SELECT count(*) FROM {source} WHERE documentation_link = %s", mark)[0][0] for source in sources)
    )


@dataclass(frozen=True)
class Version:
    """A version of an account in the history: its kind, the mark of the call, and its custom attributes."""

    kind: str
    mark: str
    attributes: frozenset[str]


def histories(url: str, ids: Sequence[str]) -> dict[str, list[Version]]:
    """The versions of each account, oldest first."""
    found: dict[str, list[Version]] = {}
    for id in ids:
        versions = rows(
            url,
            "SELECT change, documentation_link, custom_attributes FROM account_accountversion "
            "WHERE element_id = %s ORDER BY number",
            id,
        )
        found[id] = [Version(kind, mark, _names(attributes)) for kind, mark, attributes in versions]
    return found


def _names(attributes: Any) -> frozenset[str]:
    """The keys of a JSON object, which SQLite keeps as text."""
    return frozenset(json.loads(attributes) if isinstance(attributes, str) else attributes or {})
