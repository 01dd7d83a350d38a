"""The panels of the start page that cost more: they come after the page, and each has a page of its own."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from dimensions_site.administration.base.current import remembered_repository
from dimensions_site.administration.base.naming import description_of, element_route
from dimensions_site.administration.base.paging import Counted
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.administration.jobs.entries import counts_in_words
from dimensions_site.administration.lists.quality import findings
from dimensions_site.changes.models import ChangeSet
from dimensions_site.elements.dimension import Dimension, dimension_named

SHOWN_ACTIVITIES = 8
SHOWN_ACCOUNTS = 8
SHOWN_DAYS = 30
# A job leaves one change set for each of its parts, so more are read than are shown.
_READ = 60
# What wrote more is a job, and not somebody at work on a few elements.
_FEW = 5


@dataclass
class ShownActivity:
    """What one person or job has changed: the newest change set, all counts, and the element if there is only one."""

    newest: ChangeSet
    created: int = 0
    changed: int = 0
    deleted: int = 0
    version: Any = None

    @property
    def elements(self) -> str:
        """Return the dimension, in the singular or plural that fits the number."""
        dimension = dimension_named(self.newest.dimension)
        is_one = self.created + self.changed + self.deleted == 1
        return str(dimension.verbose_name if is_one else dimension.verbose_name_plural)

    @property
    def counts(self) -> str:
        """Return what was done, such as `176 created, 3 changed`."""
        return counts_in_words(self)


@dataclass(frozen=True)
class Bar:
    """How many elements were changed on a day; the bar in a picture 100 high."""

    day: date
    number: int
    left: int
    top: int
    height: int


def pages_of_elements() -> list[DimensionAdmin]:
    """Return the pages of all dimensions."""
    return [page for page in admin.site._registry.values() if isinstance(page, DimensionAdmin)]


def rows_of(request: HttpRequest, model: type[Any]) -> QuerySet[Any]:
    """Return what the user may see of jobs, plans or activities in the current repository, or in all of theirs."""
    rows: QuerySet[Any] = admin.site.get_model_admin(model).get_queryset(request)
    current = remembered_repository(request)
    return rows if current is None else rows.filter(repository=current)


def _activity(request: HttpRequest) -> dict[str, Any]:
    """Return the latest activities, those of the user, and the numbers of the last days."""
    rows = rows_of(request, ChangeSet)
    today = datetime.now(UTC).date()
    recent = rows.filter(committed_at__gte=datetime.combine(today - timedelta(SHOWN_DAYS - 1), time.min, UTC))
    return {
        "activities": _grouped(rows.order_by("-committed_at", "-id")[:_READ]),
        "accounts": _recent_elements(recent.filter(user=request.user.get_username())),
        "bars": _bars(recent, today),
    }


def _grouped(rows: Iterable[ChangeSet]) -> list[ShownActivity]:
    """Return one activity for all change sets of a job, with the only element of a small one."""
    found: dict[Any, ShownActivity] = {}
    for row in rows:
        one = found.setdefault((row.repository_id, row.dimension, row.operation or row.pk), ShownActivity(row))
        one.created += row.created
        one.changed += row.changed
        one.deleted += row.deleted
    shown = list(found.values())[:SHOWN_ACTIVITIES]
    single = {one.newest.pk: one for one in shown if one.created + one.changed + one.deleted == 1}
    for dimension, keys in _by_dimension([one.newest for one in single.values()]):
        for version in dimension.model.versions_within(keys).filter(change_set__in=list(single)):
            single[version.change_set_id].version = version
    return shown


def _recent_elements(own: QuerySet[ChangeSet]) -> list[tuple[Any, str, str]]:
    """Return the elements that the user has changed last, each with its description and its URL."""
    written = F("created") + F("changed") + F("deleted")
    sets = list(own.annotate(written=written).filter(written__lte=_FEW).order_by("-committed_at")[:_READ])
    found: list[tuple[Any, Any, Dimension]] = []
    for dimension, keys in _by_dimension(sets):
        versions = dimension.model.versions_within(keys).filter(change_set__in=[row.pk for row in sets])
        latest: dict[Any, Any] = {}
        for version in versions.only("element_id", "repository_id", "change_set")[: _READ * _FEW]:
            latest.setdefault((version.repository_id, version.element_id), version.change_set.committed_at)
        shown = list(latest)[:SHOWN_ACCOUNTS]
        same = Q(pk__in=())
        for repository, id in shown:
            same |= Q(repository=repository, element_id=id)
        rows = dimension.model.within(keys).filter(same).select_related("repository")
        for row in rows.only("element_id", "descriptions", "repository__db_id", "repository__default_language"):
            found.append((latest[row.repository_id, row.element_id], row, dimension))
    found.sort(key=lambda each: each[0], reverse=True)
    return [
        (row, description_of(row.descriptions, row.repository), element_route(dimension, "change", row.pk))
        for _when, row, dimension in found[:SHOWN_ACCOUNTS]
    ]


def _by_dimension(rows: Collection[ChangeSet]) -> list[tuple[Dimension, set[int]]]:
    """Return the dimensions of change sets that the user may see, each with its repositories."""
    found: dict[str, set[int]] = {}
    for row in rows:
        found.setdefault(row.dimension, set()).add(row.repository_id)
    return [(dimension_named(name), keys) for name, keys in found.items()]


def _bars(rows: QuerySet[ChangeSet], today: date) -> list[Bar]:
    """Return a bar for each of the last days."""
    written = Sum(F("created") + F("changed") + F("deleted"))
    days = rows.order_by().values_list(TruncDate("committed_at", tzinfo=UTC)).annotate(number=written)
    numbers: dict[date, int] = dict(days)
    most = max(numbers.values(), default=0)
    shown = [today - timedelta(SHOWN_DAYS - 1 - position) for position in range(SHOWN_DAYS)]
    return [
        Bar(day, Counted(number), position * 20, 100 - height, height)
        for position, day in enumerate(shown)
        for number in [numbers.get(day, 0)]
        for height in [-(-number * 100 // most) if number else 0]
    ]


def _quality(request: HttpRequest) -> dict[str, Any]:
    """Return what is found in the current repository, or in all of the user, by dimension."""
    current, found = remembered_repository(request), []
    for page in pages_of_elements():
        keys = page.open_keys(request)
        if current is not None:
            keys &= {current.pk}
        if keys:
            rows = list(findings(page, keys, None if current is None else current.pk))
            found.append((page.opts.verbose_name_plural, rows))
    return {"findings": [(name, rows) for name, rows in found if rows]}


# By their names in URLs: the heading, and what makes the context of the template of that name.
PANELS: dict[str, tuple[Any, Callable[[HttpRequest], dict[str, Any]]]] = {
    "activity": (gettext_lazy("Latest changes"), _activity),
    "quality": (gettext_lazy("Quality"), _quality),
}


@require_GET
def panel(request: HttpRequest, name: str) -> HttpResponse:
    """Return the panel, as a page; with `?part`, without the page around it."""
    if name not in PANELS:
        raise Http404
    title, context = PANELS[name]
    template = f"admin/start/{name}.html"
    shown = {"title": title, "panel": template, **context(request)}
    if "part" in request.GET:
        return render(request, template, shown)
    return render(request, "admin/start/page.html", {**admin.site.each_context(request), **shown})
