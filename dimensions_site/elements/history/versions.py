"""The versions of elements with what each has changed, as JSON for programs (contract I5)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import F, OuterRef, Subquery
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.models import Channel
from dimensions_site.changes.versions import versions_given
from dimensions_site.db.among import array_of
from dimensions_site.db.compiled import CompiledColumns, CompiledQuery, Param, bound
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import Answer, InstantField, answer_renderer
from dimensions_site.elements.reading.lookup import rows_statement
from dimensions_site.elements.reading.rendering import TemplateSlot, full_renderer
from dimensions_site.elements.reading.statements import read_rows
from dimensions_site.elements.writing.differences import ACTION, ACTIONS, ChangedField, changes_json, field_differences
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.expressions import InstantText

# Versions that are read together, each with the one before it: this many of the largest take 50 MB.
_BATCH = 100


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
    for start in range(0, len(numbers), _BATCH):
        part = numbers[start : start + _BATCH]
        heads = _heads(dimension).all(using=using, repository=repository.pk, number=array_of(part))
        found = {number: rest for number, *rest in heads}
        needed = {*part, *(previous for previous, *_ in found.values() if previous is not None)}
        texts = _texts(dimension, repository, needed, using)
        for number in part:
            if number in found:  # retention may have deleted it meanwhile
                previous, change, *values = found[number]
                changes = _changes(dimension, change, texts[number], texts.get(previous))
                yield f'{_RENDERER.written(values)[:-1]},"changes":{changes}}}'


@cache
def _heads(dimension: Dimension) -> CompiledQuery:
    """Return the query for the number, that of the version before, the change, and the values of the renderer."""
    stored = dimension.model.versions_of(Param("repository"))
    earlier = stored.filter(element_id=OuterRef("element_id"), number__lt=OuterRef("number")).order_by("-number")
    columns = F("number"), Subquery(earlier.values("number")[:1]), F("change"), *_RENDERER.expressions
    return CompiledQuery(versions_given(stored, "number").values_list(*columns), keeps_plan=False)


def _texts(dimension: Dimension, repository: Repository, numbers: Collection[int], using: str) -> dict[int, str]:
    """Return the JSON of the elements as the versions with these `numbers` have them."""
    renderer = full_renderer(dimension, repository.default_language)
    sql, parameters, columns = _statement(dimension, repository.default_language)
    given = {"repository": repository.pk, "number": array_of(numbers)}
    rows = read_rows(sql, bound(parameters, given), columns, connections[using])
    return {number: renderer.written(values) for number, *values in rows}


@lru_cache
def _statement(dimension: Dimension, language: str) -> tuple[str, Sequence[Any], CompiledColumns]:
    versions = versions_given(dimension.model.versions_of(Param("repository")), "number")
    columns = CompiledColumns(versions.model, [F("number"), *full_renderer(dimension, language).expressions])
    return *rows_statement(versions, columns, connections[DEFAULT_DB_ALIAS]), columns


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


def version_numbers(
    dimension: Dimension, repository: Repository, selected: Mapping[str, Any], within: slice, using: str
) -> list[int]:
    """Return the numbers of the versions with the `selected` values, by column, the latest first; one query.

    `number__lt` is that of the version before them in the list.
    """
    query = _selected(dimension, tuple(selected))
    return [number for (number,) in query.all(using=using, within=within, repository=repository.pk, **selected)]


@cache
def _selected(dimension: Dimension, names: Sequence[str]) -> CompiledQuery:
    versions = dimension.model.versions_of(Param("repository")).filter(**{name: Param(name) for name in names})
    return CompiledQuery(versions.order_by("-number").values_list("number"), keeps_plan=False)
