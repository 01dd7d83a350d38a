"""The versions of elements as JSON for programs: the newest of each since a state, which is the feed (contract I3), and
one by one with what each has changed (I5).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.expressions import Combinable
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.models import Channel
from dimensions_site.changes.states import State
from dimensions_site.changes.versions import (
    change_sets_after,
    few_after,
    newest,
    versions_given,
    versions_numbered,
    written_in_many,
)
from dimensions_site.db.among import array_of
from dimensions_site.db.compiled import CompiledColumns, Param, bound
from dimensions_site.elements.declaration.serializers import ElementSerializer
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import Answer, InstantField, answer_renderer, template_of
from dimensions_site.elements.reading.filters import KEPT_SHAPES, CompiledFilter, ElementFilter
from dimensions_site.elements.reading.lookup import rows_statement
from dimensions_site.elements.reading.rendering import TemplateSlot, full_renderer
from dimensions_site.elements.reading.statements import read_rows, read_values
from dimensions_site.elements.writing.differences import ACTION, ACTIONS, ChangedField, changes_json, field_differences
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.expressions import InstantText


class ElementChange(serializers.Serializer[Any]):
    change = serializers.ChoiceField(
        ["saved", "deleted"], help_text="`saved` comes with `element`, `deleted` with `id`."
    )
    element = ElementSerializer(required=False)
    id = serializers.CharField(required=False, help_text="The id of an element that is no longer selected or stored.")


# What says that an element with this JSON was saved, or that the one with this id was deleted.
SAVED = template_of(ElementChange, "id") % ('"saved"', "%s")
_DELETED = template_of(ElementChange, "element") % ('"deleted"', "%s")


def changes_since(filter: ElementFilter, state: State, using: str) -> Iterator[str]:
    """Yield the JSON of the changes of the elements that were written after the `state`, in the order of their ids.

    An element whose newest version the `filter` does not select is reported as deleted.
    """
    few = few_after(state, using=using)
    compose = _statement if filter.is_short else _statement.__wrapped__
    sql, parameters = compose(filter.compiled, is_few=few is not None)
    given = {**state.given(), **filter.given, "change_set": array_of(few or ())}
    renderer = full_renderer(filter.dimension, filter.compiled.language)
    columns = _unfiltered_columns(filter.dimension, filter.compiled.language)
    rows = read_rows(sql, bound(parameters, given), columns, connections[using])
    for id, change, is_matching, *values in rows:
        if change == Change.DELETED or not is_matching:
            yield _DELETED % json_text(id)
        else:
            yield SAVED % renderer.written(values)


@lru_cache(KEPT_SHAPES)
def _statement(filter: CompiledFilter, *, is_few: bool) -> tuple[str, Sequence[Any]]:
    """Return the SQL of what was written after a state, and its bind parameters.

    If what was written `is_few` change sets, they are given: by their ids PostgreSQL knows that they are not the few
    large ones of its statistics.
    """
    versions = filter.dimension.model.versions_of(Param("repository"))
    written = versions_given(versions) if is_few else written_in_many(versions, change_sets_after())
    columns = _changed_columns(filter.dimension, filter.language, filter.matches())
    return rows_statement(newest(written).order_by("element_id"), columns, connections[DEFAULT_DB_ALIAS])


@lru_cache
def _unfiltered_columns(dimension: Dimension, language: str) -> CompiledColumns:
    """Return columns whose values are converted like those of every filter; kept once."""
    return _changed_columns(dimension, language, Value(True))


def _changed_columns(dimension: Dimension, language: str, matches: Combinable) -> CompiledColumns:
    values = [F("element_id"), F("change"), matches, *full_renderer(dimension, language).expressions]
    return CompiledColumns(dimension.model.version_model, values)


# Versions that are read together, each with the one before it: this many of the largest take 50 MB.
_TOGETHER = 100


class ElementVersion(Answer):
    version = serializers.IntegerField(
        min_value=1, source="number", help_text="Later versions of an element have higher numbers."
    )
    id = serializers.CharField(source="element_id")
    change = serializers.ChoiceField(ACTIONS, label=ACTION)
    changeSet = serializers.UUIDField()
    user = serializers.CharField(source="change_set__user")
    channel = serializers.ChoiceField(Channel.values, label="Channel", source="change_set__channel")
    committedAt = InstantField(source="change_set__committed_at")
    reason = serializers.CharField(allow_null=True, source="change_set__reason")
    changes = ChangedField(many=True, allow_null=True, help_text="null if the version before it is no longer stored.")


_SLOTS = {
    "change": TemplateSlot(F("change"), lambda change: json_text(Change(change).action)),
    "committedAt": TemplateSlot(InstantText(F("change_set__committed_at"), "Z"), json_text),
}
# Writes all but the changes.
_RENDERER = answer_renderer(ElementVersion, _SLOTS, "changes")


def version_texts(
    dimension: Dimension, repository: Repository, numbers: Sequence[int], using: str = DEFAULT_DB_ALIAS
) -> Iterator[str]:
    """Yield the JSON of the versions of the `repository` with these `numbers`, in their order.

    `changes` is null for a version whose predecessor retention has deleted.
    """
    stored, language = dimension.model.versions_of(repository).using(using), repository.default_language
    renderer, columns = full_renderer(dimension, language), _columns(dimension, language)
    earlier = stored.filter(element_id=OuterRef("element_id"), number__lt=OuterRef("number")).order_by("-number")
    previous_number = Subquery(earlier.values("number")[:1])
    head: list[Combinable] = [F("number"), previous_number, F("change"), *_RENDERER.expressions]
    for start in range(0, len(numbers), _TOGETHER):
        part = numbers[start : start + _TOGETHER]
        found = {number: rest for number, *rest in versions_numbered(stored, part).values_list(*head)}
        needed = {*part, *(previous for previous, *_ in found.values() if previous is not None)}
        rows = read_values(versions_numbered(stored, needed), columns)
        texts = {number: renderer.written(values) for number, *values in rows}
        for number in part:
            if number in found:  # retention may have deleted it meanwhile
                previous, change, *values = found[number]
                changes = _changes(dimension, change, texts[number], texts.get(previous))
                yield f'{_RENDERER.written(values)[:-1]},"changes":{changes}}}'


@lru_cache
def _columns(dimension: Dimension, language: str) -> CompiledColumns:
    """Return the number of a version, and the values of the element as it has them."""
    values = full_renderer(dimension, language).expressions
    return CompiledColumns(dimension.model.version_model, [F("number"), *values])


def _changes(dimension: Dimension, change: str, text: str, previous: str | None) -> str:
    """Return the JSON of what a version has changed whose element is `text`, and was `previous` in the one before."""
    before, after = None, orjson.loads(text)
    if change == Change.DELETED:
        before, after = after, None  # a deletion keeps what the element had last
    elif change == Change.CHANGED:
        if previous is None:
            return "null"
        before = orjson.loads(previous)
    return changes_json(dimension, field_differences(dimension.wire, before, after))
