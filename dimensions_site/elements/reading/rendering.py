"""Elements as JSON text, directly from the rows of the database (design/reading.md).

A renderer is a text template with one slot for each value, derived from the shape of the JSON. It writes the same JSON
as the serializer, many times faster and without model instances.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import call
from typing import Any, TypeAlias

import orjson
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import F, Model, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from dimensions_site.api.json.texts import json_text, text_as_json
from dimensions_site.db.compiled import CompiledColumns, CompiledQuery, Param
from dimensions_site.elements.declaration.wire import ObjectNode, Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.observability.observation import count_read
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.expressions import MapEntry


@dataclass(frozen=True)
class TemplateSlot:
    """A slot of the template: the SQL value for it, and how the value becomes JSON text."""

    expression: Combinable
    encode: Callable[[Any], str]


# The place of a value in a template: no JSON text has this character.
_SLOT = "\0"
# An object of the response: for each member its slot, or the object in it.
TemplatePlan: TypeAlias = dict[str, "TemplateSlot | TemplatePlan"]


def whole(node: ObjectNode, language: str) -> TemplatePlan:
    """Return the plan for everything in `node`; `language` is the repository's default language."""
    return {name: plan_of(member, language) for name, member in node.members.items()}


def plan_of(member: ObjectNode | Place, language: str) -> TemplateSlot | TemplatePlan:
    """Return the plan for one whole member of an object."""
    if isinstance(member, ObjectNode):
        return json_slot(member.column) if member.column is not None else whole(member, language)
    if member.is_map:
        return json_slot(member.column)
    if member.is_default_description:
        return entry_slot(member.column, language)
    return TemplateSlot(member.leaf.selected(member.column), member.leaf.encode)


def json_slot(column: str, change: Callable[[str], str] | None = None) -> TemplateSlot:
    """Return the slot of a JSON column, written as it is or changed by `change` (from JSON text to JSON text)."""
    if change is None:
        return TemplateSlot(Cast(F(column), TextField()), lambda text: text or "null")
    return TemplateSlot(Cast(F(column), TextField()), lambda text: "null" if text is None else change(text))


def entry_slot(column: str, key: str) -> TemplateSlot:
    """Return the slot of one entry of a map; null if it is missing."""
    return TemplateSlot(MapEntry(column, key), text_as_json)


class Renderer:
    """Writes rows as JSON texts of one shape."""

    def __init__(self, plan: TemplatePlan) -> None:
        self._slots: list[TemplateSlot] = []
        # The names of the objects that each slot is in, and its own.
        self._paths: list[tuple[str, ...]] = []
        texts = self._object(plan).split(_SLOT)
        # The texts of the template, and between two of them the place of a value.
        self._parts = [""] * (2 * len(texts) - 1)
        self._parts[::2] = texts
        self._encoders = [slot.encode for slot in self._slots]
        self.expressions = [slot.expression for slot in self._slots]
        self._compiled: dict[type[Model], CompiledColumns] = {}

    def columns(self, model: type[Model]) -> CompiledColumns:
        """Return the values of the slots for rows of the `model`: elements, or versions of them."""
        if model not in self._compiled:
            self._compiled[model] = CompiledColumns(model, self.expressions)
        return self._compiled[model]

    def written(self, row: Sequence[Any]) -> str:
        """Return the JSON text of one row."""
        parts = self._parts.copy()
        parts[1::2] = map(call, self._encoders, row)
        return "".join(parts)

    def differing(self, row: Sequence[Any], other: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the JSON of two elements with only those values that differ, which is much less to read."""
        one: dict[str, Any] = {}
        another: dict[str, Any] = {}
        for path, encode, old, new in zip(self._paths, self._encoders, row, other, strict=True):
            if old != new:
                for found, value in ((one, old), (another, new)):
                    for name in path[:-1]:
                        found = found.setdefault(name, {})
                    found[path[-1]] = orjson.loads(encode(value))
        return one, another

    def _object(self, plan: TemplatePlan, path: tuple[str, ...] = ()) -> str:
        members = (f"{json_text(name)}:{self._member(part, (*path, name))}" for name, part in plan.items())
        return "{" + ",".join(members) + "}"

    def _member(self, part: "TemplateSlot | TemplatePlan", path: tuple[str, ...]) -> str:
        if isinstance(part, dict):
            return self._object(part, path)
        self._slots.append(part)
        self._paths.append(path)
        return _SLOT


@dataclass(frozen=True)
class Stored:
    """A locked element with its JSON text; only its keys and its unique columns are loaded."""

    element: Element
    text: str


class ElementRenderer(Renderer):
    """Writes whole elements of one dimension; its queries of single elements are compiled once."""

    def __init__(self, dimension: Dimension, language: str) -> None:
        super().__init__(whole(dimension.wire.root, language))
        model = self.model = dimension.model
        self._loaded = ["id", "repository_id", *model.unique_in_repository]
        addressed = model.of(Param("repository")).filter(element_id=Param("id"))
        self._read = CompiledQuery(addressed.values_list(*self.expressions))
        self._lock = CompiledQuery(addressed.select_for_update().values_list(*self._loaded, *self.expressions))
        self._returned = self.columns(model)
        # The expressions after RETURNING.
        self.sql = self._returned.sql
        self.parameters = self._returned.parameters

    def one(self, repository: Repository, id: str, *, using: str = DEFAULT_DB_ALIAS) -> str | None:
        """Return the JSON text of the element `id`, or None if there is none; one query.

        It is read from the database with the name `using`.
        """
        row = self._found(self._read, repository, id, using)
        if row is None:
            return None
        count_read(1)
        return self.written(row)

    def lock(self, repository: Repository, id: str) -> Stored | None:
        """Lock and return the element `id`, or None; one query. It stays locked until the transaction ends."""
        row = self._found(self._lock, repository, id)
        if row is None:
            return None
        element = self.model.from_db(connection.alias, self._loaded, row[: len(self._loaded)])
        return Stored(element, self.written(row[len(self._loaded) :]))

    def _found(
        self, query: CompiledQuery, repository: Repository, id: str, using: str = DEFAULT_DB_ALIAS
    ) -> Sequence[Any] | None:
        if "\0" in id:  # no element has such an id, and PostgreSQL fails on it
            return None
        return query.first(using=using, repository=repository.pk, id=id)

    def text(self, values: Sequence[Any]) -> str:
        """Return the JSON text of an element for which a statement has returned these values."""
        return self.written(self._returned.convert(values, connection))


@lru_cache
def full_renderer(dimension: Dimension, language: str) -> ElementRenderer:
    """Return the renderer for whole elements, made once for each default language."""
    return ElementRenderer(dimension, language)
