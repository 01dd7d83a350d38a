"""The start page of the administration: what an administrator asks first, within the user's grants (contract G2)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import IntegerField
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.urls import reverse

from bulkops.admin import import_progress
from bulkops.admin.processings import processings_open_to
from bulkops.admin.progress import progress_of
from bulkops.file_imports import AT_WORK, imports_open_to
from bulkops.models import Status
from bulkops.presence import somebody_works
from dimensions_site.elements.admin.history import HistoryMixin
from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository

SHOWN_REPOSITORIES = 50
SHOWN_CHANGES = 10
SHOWN_PROCESSINGS = 10
# More elements are not counted: to count a million takes longer than showing a page.
COUNTED_ELEMENTS = 10_000
_CHANGE_COLUMNS = (
    "repository", "element_id", "history_date", "history_type", "history_actor", "history_origin",
)  # fmt: skip


@dataclass
class Holdings:
    """A repository, and for each dimension that is open to the user: its name, the address of its list, its count."""

    repository: Repository
    counts: list[tuple[str, str, int]] = field(default_factory=list)


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The context of the page; the number of queries depends neither on repositories nor on elements."""
    pages = [page for page in admin.site._registry.values() if isinstance(page, HistoryMixin)]
    repositories = _repositories(request, pages)
    running = processings_open_to(request).filter(status=Status.RUNNING).select_related("repository")
    imports = imports_open_to(cast(User, request.user)).filter(status__in=AT_WORK).select_related("repository")
    return {
        **context,
        "repositories": list(repositories.values())[:SHOWN_REPOSITORIES],
        "has_more_repositories": len(repositories) > SHOWN_REPOSITORIES,
        "counted": COUNTED_ELEMENTS,
        "changes": _latest_changes(request, pages),
        "running": [(found, progress_of(found)) for found in running.order_by("-pk")[:SHOWN_PROCESSINGS]],
        "imports": [
            (found, import_progress.progress_of(found)) for found in imports.order_by("-created_at")[:SHOWN_PROCESSINGS]
        ],
        "somebody_works": somebody_works(),
    }


def _repositories(request: HttpRequest, pages: list[HistoryMixin]) -> dict[int, Holdings]:
    """What the user may see, by the key of the repository, in the order of the dbID; one more than is shown."""
    found: dict[int, Holdings] = {}
    for page in pages:
        address = reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_changelist")
        rows = page.repositories(request).annotate(count=_bounded_count(page.model))
        for repository in rows[: SHOWN_REPOSITORIES + 1]:
            holdings = found.setdefault(repository.pk, Holdings(repository))
            link = f"{address}?repository__id__exact={repository.pk}"
            name = page.opts.verbose_name if repository.count == 1 else page.opts.verbose_name_plural
            holdings.counts.append((str(name), link, repository.count))
    return dict(sorted(found.items(), key=lambda item: item[1].repository.db_id))


def _bounded_count(model: type[Element]) -> RawSQL:
    """The number of elements of each repository of a query, up to one more than is counted."""
    quote = connection.ops.quote_name
    repositories = quote(Repository._meta.db_table)
    return RawSQL(
        f"(SELECT COUNT(*) FROM (SELECT 1 FROM {quote(model._meta.db_table)} AS counted "
        f"WHERE counted.repository_id = {repositories}.id LIMIT %s) AS bounded)",
        [COUNTED_ELEMENTS + 1],
        IntegerField(),
    )


def _latest_changes(request: HttpRequest, pages: list[HistoryMixin]) -> list[tuple[Any, str, str]]:
    """The last versions of all dimensions, each with the name of the dimension and the address of its page."""
    changes = [change for page in pages for change in _changes(request, page)]
    changes.sort(key=lambda change: change[0].history_date, reverse=True)
    return changes[:SHOWN_CHANGES]


def _changes(request: HttpRequest, page: HistoryMixin) -> Iterator[tuple[Any, str, str]]:
    rows = (
        page.model.history.filter(repository__in=page.open_keys(request))
        .order_by("-history_id")
        .select_related("repository")
    )
    columns = [*_CHANGE_COLUMNS, "repository__db_id", "repository__name"]
    for row in rows.only(*columns)[:SHOWN_CHANGES]:
        yield row, str(page.opts.verbose_name), page.address_of_version(row)
