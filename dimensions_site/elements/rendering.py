"""Elements as JSON text, straight from the rows of the database.

A renderer is a text template with one slot for each value, made from the wire's derived shape. It writes the
same JSON as the serializer, many times faster and without model instances.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from django.db import connection, transaction
from django.db.models import F, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from dimensions_site.elements.fields import json_text
from dimensions_site.elements.wire import Node, Place, Wire
from dimensions_site.rsql.expressions import MapEntry
from dimensions_site.telemetry.observation import count_read, counted

# Rows that are fetched and written at a time: enough to hide the cost of a chunk, little in memory.
CHUNK_ROWS = 200


@dataclass(frozen=True)
class Slot:
    """A place in the template: the SQL value that goes there, and how it becomes JSON text."""

    expression: Combinable
    encode: Callable[[Any], str]


# An object of the answer: for each member its slot, or the object in it.
Plan: TypeAlias = dict[str, "Slot | Plan"]


def whole(node: Node, language: str) -> Plan:
    """The plan for everything in `node`; `language` is the default language of the repository."""
    return {name: plan_of(member, language) for name, member in node.members.items()}


def plan_of(member: Node | Place, language: str) -> Slot | Plan:
    """The plan for one whole member of an object."""
    if isinstance(member, Node):
        return json_slot(member.column) if member.column is not None else whole(member, language)
    if member.is_map:
        return json_slot(member.column)
    if member.is_default_description:
        return entry_slot(member.column, language)
    return Slot(F(member.column), member.leaf.encode)


def json_slot(column: str, encode: Callable[[str], str] = str) -> Slot:
    """A JSON column, written as it stands, or changed by `encode` (from JSON text to JSON text)."""
    return Slot(Cast(F(column), TextField()), lambda text: "null" if text is None else encode(text))


def entry_slot(column: str, key: str) -> Slot:
    """One entry of a map; null when it is missing."""
    return Slot(MapEntry(column, key), json_text)


@lru_cache
def full_renderer(wire: Wire, language: str) -> "Renderer":
    """The renderer for whole elements, made once for each default language."""
    return Renderer(whole(wire.root, language))


class Renderer:
    """Writes the elements of a queryset as JSON texts of one shape."""

    def __init__(self, plan: Plan) -> None:
        self._slots: list[Slot] = []
        self._template = self._object(plan)
        self._encoders = [slot.encode for slot in self._slots]
        self._expressions = [slot.expression for slot in self._slots]

    def one(self, queryset: QuerySet[Any]) -> str | None:
        """The JSON text of the first element, or None when there is none; one query."""
        row = queryset.values_list(*self._expressions).first()
        if row is None:
            return None
        count_read(1)
        return self._render(row)

    def each(self, queryset: QuerySet[Any]) -> Iterator[str]:
        """The JSON texts of all elements, in one query, with flat memory whatever their number (contract D7)."""
        for row in streamed_values(queryset, self._expressions):
            yield self._render(row)

    def _render(self, row: tuple[Any, ...]) -> str:
        return self._template % tuple([encode(value) for encode, value in zip(self._encoders, row, strict=True)])

    def _object(self, plan: Plan) -> str:
        return "{" + ",".join(f"{self._escaped(name)}:{self._member(part)}" for name, part in plan.items()) + "}"

    def _member(self, part: "Slot | Plan") -> str:
        if isinstance(part, dict):
            return self._object(part)
        self._slots.append(part)
        return "%s"

    @staticmethod
    def _escaped(name: str) -> str:
        return json_text(name).replace("%", "%%")


def streamed_values(queryset: QuerySet[Any], expressions: Iterable[Combinable]) -> Iterator[tuple[Any, ...]]:
    """The values of the SQL `expressions` for each element, in one query and with flat memory."""
    with _snapshot():
        yield from counted(queryset.values_list(*expressions).iterator(CHUNK_ROWS))


def _snapshot() -> AbstractContextManager[Any]:
    """Keep a streamed query to one state of the data and to flat memory.

    PostgreSQL streams only inside a transaction (outside, the server would first store the whole result).
    SQLite streams anyway, and a transaction would take its write lock.
    """
    return transaction.atomic(savepoint=False) if connection.vendor == "postgresql" else nullcontext()
