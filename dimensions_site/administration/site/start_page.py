"""The start page of the administration, limited to the user's grants (contract G2)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.contrib import admin
from django.db.models import Func, IntegerField, OuterRef, Subquery
from django.http import HttpRequest

from bulkops.jobs.file_imports import AT_WORK
from bulkops.jobs.heartbeat import is_worker_running
from bulkops.models import DataProcessing, FileImport, Status
from dimensions_site.administration.base.paging import count_up_to, limit_of_count
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.administration.jobs.progress import deletion_progress, import_progress
from dimensions_site.elements.models import Element
from dimensions_site.repositories.models import Repository

SHOWN_REPOSITORIES = 50
SHOWN_CHANGES = 10
SHOWN_PROCESSINGS = 10
_CHANGE_COLUMNS = (
    "repository", "element_id", "change", "change_set__committed_at", "change_set__user", "change_set__channel",
)  # fmt: skip


@dataclass
class Holdings:
    """A repository with, for each dimension that the user may read: its name, the URL of its list, and its count."""

    repository: Repository
    counts: list[tuple[str, str, int]] = field(default_factory=list)


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Return the context of the page; the number of queries does not depend on the number of repositories or
    elements.
    """
    pages = [page for page in admin.site._registry.values() if isinstance(page, DimensionAdmin)]
    repositories = _repositories(request, pages)
    deletions = admin.site.get_model_admin(DataProcessing).get_queryset(request)
    running = deletions.filter(status=Status.RUNNING).defer(None)
    imports = admin.site.get_model_admin(FileImport).get_queryset(request).filter(status__in=AT_WORK)
    return {
        **context,
        "repositories": list(repositories.values())[:SHOWN_REPOSITORIES],
        "has_more_repositories": len(repositories) > SHOWN_REPOSITORIES,
        "changes": _latest_changes(request, pages),
        "running": [(found, deletion_progress(found)) for found in running[:SHOWN_PROCESSINGS]],
        "imports": [(found, import_progress(found)) for found in imports[:SHOWN_PROCESSINGS]],
        "is_worker_running": is_worker_running(),
    }


def _repositories(request: HttpRequest, pages: list[DimensionAdmin]) -> dict[int, Holdings]:
    """Return the user's repositories by primary key, sorted by dbID; one more than is shown."""
    found: dict[int, Holdings] = {}
    limit = limit_of_count(request, 1)
    for page in pages:
        rows = page.repositories(request).annotate(count=_count(page.model, limit))
        for repository in rows[: SHOWN_REPOSITORIES + 1]:
            holdings = found.setdefault(repository.pk, Holdings(repository))
            link = f"{page.route('changelist')}?repository__id__exact={repository.pk}"
            name = page.opts.verbose_name if repository.count == 1 else page.opts.verbose_name_plural
            holdings.counts.append((str(name), link, count_up_to(repository.count, limit)))
    return dict(sorted(found.items(), key=lambda item: item[1].repository.db_id))


def _count(model: type[Element], limit: int | None) -> Func:
    """Return the number of elements of each repository in a query, up to one more than the limit if there is one."""
    rows = model.of(OuterRef("pk")).order_by().values("element_id")
    template = "(SELECT COUNT(*) FROM %(expressions)s AS counted)"
    bounded = rows if limit is None else rows[: limit + 1]
    return Func(Subquery(bounded), template=template, output_field=IntegerField())


def _latest_changes(request: HttpRequest, pages: list[DimensionAdmin]) -> list[tuple[Any, str, str]]:
    """Return the latest versions of all dimensions, each with the name of its dimension and the URL of its page."""
    changes = [change for page in pages for change in _changes(request, page)]
    changes.sort(key=lambda change: change[0].change_set.committed_at, reverse=True)
    return changes[:SHOWN_CHANGES]


def _changes(request: HttpRequest, page: DimensionAdmin) -> Iterator[tuple[Any, str, str]]:
    rows = page.model.versions_within(page.open_keys(request)).select_related("repository")
    columns = [*_CHANGE_COLUMNS, "repository__db_id", "repository__name"]
    for row in rows.only(*columns)[:SHOWN_CHANGES]:
        yield row, str(page.opts.verbose_name), page.route("version", row.number)
