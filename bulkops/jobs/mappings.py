"""What headings and values meant the last time, so that nobody chooses the columns of the same monthly file again."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from bulkops.models import ColumnMapping, FileImport
from dimensions_site.repositories.models import Repository

# As many as are kept for each dimension of a repository, the last confirmed ones.
MAX_MAPPINGS = 200


def remembered_mapping(file_import: FileImport) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """Return the mapping of the last confirmed import of a table with the same headings, and its rules for values and
    rows; both empty without one.
    """
    found = _mappings(file_import).filter(headings=_digest(file_import.preview.get("headings", []))).first()
    return ({}, {}) if found is None else (found.mapping, found.rules or {})


def known_headings(repository: Repository, dimension: str) -> Mapping[str, str]:
    """Return the field of each heading in the confirmed imports into the dimension, the last one that it had."""
    found = ColumnMapping.objects.filter(repository=repository, dimension=dimension).order_by("confirmed_at", "pk")
    return {heading: field for mapping in found.values_list("mapping", flat=True) for heading, field in mapping.items()}


def remember(file_import: FileImport, mapping: Mapping[str, str], rules: Mapping[str, Any] | None = None) -> None:
    """Keep the confirmed `mapping` and the `rules` for the next import of a table with the same headings."""
    if not mapping:
        return
    ColumnMapping.objects.update_or_create(
        repository_id=file_import.repository_id,
        dimension=file_import.dimension,
        headings=_digest(mapping),
        defaults={"mapping": dict(mapping), "rules": rules, "confirmed_at": timezone.now()},
    )
    newest = _mappings(file_import).order_by("-confirmed_at", "-pk").values_list("pk", flat=True)[:MAX_MAPPINGS]
    _mappings(file_import).exclude(pk__in=list(newest)).delete()


def _mappings(file_import: FileImport) -> QuerySet[ColumnMapping]:
    return ColumnMapping.objects.filter(repository_id=file_import.repository_id, dimension=file_import.dimension)


def _digest(headings: Iterable[str]) -> str:
    """Return what stands for a set of headings, however long they are."""
    return hashlib.sha256(json.dumps(sorted(headings)).encode()).hexdigest()
