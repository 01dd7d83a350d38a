"""Elements as JSON text, straight from the rows of the database.

A renderer is a text template with one slot for each value, made from the wire's derived shape. It writes the
same JSON as the serializer, many times faster and without model instances.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from operator import call
from typing import Any, TypeAlias

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BooleanField, F, Func, QuerySet, Subquery, TextField
from django.db.models.expressions import Combinable
from django.db.models.fields.tuple_lookups import Tuple
from django.db.models.functions import Cast

from dimensions_site.compiled import CompiledColumns, CompiledQuery, Given
from dimensions_site.elements.json_texts import json_text, text_as_json
from dimensions_site.elements.models import Element
from dimensions_site.elements.wire import Node, Place, Wire
from dimensions_site.postgresql.streaming import streamed_rows
from dimensions_site.repositories.models import Repository
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
    return Slot(member.leaf.selected(member.column), member.leaf.encode)


def json_slot(column: str, change: Callable[[str], str] | None = None) -> Slot:
    """A JSON column, written as it stands, or changed by `change` (from JSON text to JSON text)."""
    if change is None:
        return Slot(Cast(F(column), TextField()), lambda text: text or "null")
    return Slot(Cast(F(column), TextField()), lambda text: "null" if text is None else change(text))


def entry_slot(column: str, key: str) -> Slot:
    """One entry of a map; null when it is missing."""
    return Slot(MapEntry(column, key), text_as_json)


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
        self._compiled_question: CompiledQuery | None = None
        self._compiled_columns: CompiledColumns | None = None

    def one(
        self, model: type[Element], repository: Repository, id: str, *, using: str = DEFAULT_DB_ALIAS
    ) -> str | None:
        """The JSON text of the element `id`, without NUL, of a repository, or None when there is none; one query.

        It is read from the database with the name `using`.
        """
        row = self._question(model).first(using=using, repository=repository.pk, id=id)
        if row is None:
            return None
        count_read(1)
        return self._render(row)

    def each(self, queryset: QuerySet[Any]) -> Generator[str]:
        """The JSON texts of all elements, in one query, with flat memory whatever their number (contract D7)."""
        for row in streamed_values(queryset, self._columns(queryset.model)):
            yield self._render(row)

    # A renderer writes the elements of one model.

    def _question(self, model: type[Element]) -> CompiledQuery:
        if self._compiled_question is None:
            addressed = model.of(Given("repository")).filter(element_id=Given("id"))
            self._compiled_question = CompiledQuery(addressed.values_list(*self._expressions))
        return self._compiled_question

    def _columns(self, model: type[Element]) -> CompiledColumns:
        if self._compiled_columns is None:
            self._compiled_columns = CompiledColumns(model, self._expressions)
        return self._compiled_columns

    def _render(self, row: Sequence[Any]) -> str:
        return self._template % tuple(map(call, self._encoders, row))

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


def streamed_values(queryset: QuerySet[Any], columns: CompiledColumns) -> Iterator[Sequence[Any]]:
    """The values of the `columns` for each element, in one query and with flat memory."""
    connection = connections[queryset.db]
    query = _found_first(queryset).values_list(columns.selected).query
    try:
        sql, parameters = query.get_compiler(connection=connection).as_sql()
    except EmptyResultSet:  # Django sees that nothing can meet the conditions
        return
    with closing(streamed_rows(connection, sql, parameters)) as rows:
        for row in counted(rows):
            yield columns.convert(row, connection)


def _found_first(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """The same page, for which the database makes no value of the elements before it: it would, and skip them."""
    query = queryset.query
    if not query.low_mark or query.high_mark is None or query.is_empty():
        return queryset
    # By what the index of ids has, so that the elements before the page are not even looked at.
    keys = ("repository_id", "element_id")
    among = Func(
        Tuple(*map(F, keys)),
        Subquery(queryset.values(*keys)),
        arg_joiner=" IN ",
        template="(%(expressions)s)",
        output_field=BooleanField(),
    )
    page: QuerySet[Any] = queryset.model._base_manager.using(queryset.db).filter(among)
    page.query.order_by = query.order_by
    return page
