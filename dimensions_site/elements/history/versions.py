"""The versions of elements with what each has changed, as JSON for programs (contract I5)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import orjson
from django.db import DEFAULT_DB_ALIAS
from django.db.models import F, OuterRef, Subquery
from django.db.models.expressions import Combinable
from rest_framework import serializers

from dimensions_site.api.json.texts import json_text
from dimensions_site.changes.models import Channel
from dimensions_site.changes.versions import versions_numbered
from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import Answer, InstantField, answer_renderer
from dimensions_site.elements.reading.rendering import TemplateSlot, full_renderer
from dimensions_site.elements.reading.statements import read_values
from dimensions_site.elements.writing.differences import ACTION, ACTIONS, ChangedField, changes_json, field_differences
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.expressions import InstantText

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
