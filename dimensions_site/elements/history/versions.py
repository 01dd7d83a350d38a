"""The versions of elements with what each has changed, as JSON for programs (contract I5)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson
from django.db.models import F, OuterRef, QuerySet, Subquery

from dimensions_site.db.compiled import CompiledColumns
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.changed_values import changes_json
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.answers import instant_text
from dimensions_site.elements.reading.rendering import full_renderer, streamed_values
from dimensions_site.repositories.models import Repository

# Versions that are read together, each with the one before it: this many of the largest take 50 MB.
_TOGETHER = 100
_CHANGES = {Change.CREATED: "created", Change.CHANGED: "changed", Change.DELETED: "deleted"}


def version_texts(dimension: Dimension, repository: Repository, versions: QuerySet[Any]) -> Iterator[str]:
    """Yield the JSON of the `versions` of the `repository`, in their order.

    `changes` is null for a version whose predecessor retention has deleted.
    """
    stored = dimension.model.versions_of(repository).using(versions.db)
    earlier = stored.filter(element_id=OuterRef("element_id"), number__lt=OuterRef("number"))
    previous = Subquery(earlier.order_by("-number").values("number")[:1])
    numbers = list(versions.values_list("number", flat=True))
    for start in range(0, len(numbers), _TOGETHER):
        part = numbers[start : start + _TOGETHER]
        found = stored.filter(number__in=part).select_related("change_set").annotate(previous=previous)
        rows = found.only("number", "element_id", "change", "change_set").in_bulk(part)
        needed = {*part, *(row.previous for row in rows.values() if row.previous is not None)}
        texts = _texts(dimension, repository, stored.filter(number__in=needed))
        for number in part:
            if number in rows:  # retention may have deleted it meanwhile
                yield _text(dimension, rows[number], texts)


def _texts(dimension: Dimension, repository: Repository, versions: QuerySet[Any]) -> dict[int, str]:
    """Return the JSON of the elements as the `versions` have them, by the numbers of the versions."""
    renderer = full_renderer(dimension, repository.default_language)
    columns = _columns(dimension, repository.default_language)
    return {number: renderer.written(values) for number, *values in streamed_values(versions, columns)}


@lru_cache
def _columns(dimension: Dimension, language: str) -> CompiledColumns:
    values = [F("number"), *full_renderer(dimension, language).expressions]
    return CompiledColumns(dimension.model.version_model, values)


def _text(dimension: Dimension, row: Any, texts: dict[int, str]) -> str:
    """Return the JSON of the version `row`; `texts` has it and the one before it."""
    values = orjson.loads(texts[row.number])
    before = values if row.change == Change.DELETED else None  # a deletion keeps what the element had last
    if row.change == Change.CHANGED and row.previous in texts:
        before = orjson.loads(texts[row.previous])
    after = None if row.change == Change.DELETED else values
    is_known = before is not None or row.change == Change.CREATED
    head = {
        "version": row.number,
        "id": row.element_id,
        "change": _CHANGES[row.change],
        "changeSet": str(row.change_set_id),
        "user": row.change_set.user,
        "channel": row.change_set.channel,
        "committedAt": instant_text(row.change_set.committed_at),
        "reason": row.change_set.reason,
    }
    changes = changes_json(dimension, before, after) if is_known else "null"
    return f'{orjson.dumps(head).decode()[:-1]},"changes":{changes}}}'
