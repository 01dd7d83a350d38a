"""The start page of the administration, limited to the user's grants (contract G2)."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy
from django.views.decorators.http import require_POST

from bulkops.jobs.file_imports import AT_WORK
from bulkops.jobs.heartbeat import is_worker_running
from bulkops.models import DataProcessing, FileImport, ImportStatus, Plan, Status
from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.administration.base.current import open_anywhere
from dimensions_site.administration.base.paging import count_up_to, limit_of_count
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.administration.files.results import import_progress
from dimensions_site.administration.jobs.deletions import deletion_progress
from dimensions_site.administration.lists.saved import view_address
from dimensions_site.administration.plans.pages import PLANS_OF_A_PERSON, PersonalPlanFilter, plans_of
from dimensions_site.administration.site.panels import pages_of_elements, rows_of
from dimensions_site.changes.models import ChangeSet
from dimensions_site.db.shards import count_each
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.saved_views.models import SavedView
from dimensions_site.text.formats import named_value

SHOWN_REPOSITORIES = 50
# From so many on, they can be searched.
SEARCHED_REPOSITORIES = 10
SHOWN_PROCESSINGS = 10
SHOWN_VIEWS = 8
# Waiting plans and imports are counted up to this number.
MOST_WAITING = 100
_OPEN_IMPORTS = {
    ImportStatus.CHECKED: ngettext_lazy("%(number)d import to confirm", "%(number)d imports to confirm", "number"),
    ImportStatus.DRAFT: ngettext_lazy("%(number)d import begun", "%(number)d imports begun", "number"),
}
# In how many of the latest activities the user is looked for.
_LATEST = 500
# Remembers in the browser that somebody needs no first steps any more.
_STEPS_COOKIE, _A_YEAR = "first_steps", 365 * 24 * 3600


@dataclass
class Holdings:
    """A repository with, for each dimension that the user may read: its name, the URL of its list, and its count."""

    repository: Repository
    counts: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Step:
    """One of the steps of a first visit: what to do, where, and whether it is done."""

    words: str
    address: str
    is_done: bool


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Return the context of the page; the number of queries does not depend on the number of repositories or
    elements. What costs more is in `panels`.
    """
    pages = pages_of_elements()
    text = request.GET.get("repositories", "").strip()[:LONGEST_SEARCH]
    repositories = list(_repositories(request, pages, text).values())
    running = rows_of(request, DataProcessing).filter(status=Status.RUNNING).defer(None)
    imports = rows_of(request, FileImport).filter(status__in=AT_WORK)
    return {
        **context,
        "repositories": repositories[:SHOWN_REPOSITORIES],
        "has_more_repositories": len(repositories) > SHOWN_REPOSITORIES,
        "repository_text": text,
        "is_searchable": bool(text) or len(repositories) > SEARCHED_REPOSITORIES,
        "waiting": _waiting(request),
        # A draft of a new element is offered in these alone.
        "writable": sorted(open_anywhere(request, Role.PROPOSER)),
        "views": _views(request, pages),
        "running": [(found, deletion_progress(found)) for found in running[:SHOWN_PROCESSINGS]],
        "imports": [(found, import_progress(found)) for found in imports[:SHOWN_PROCESSINGS]],
        "is_worker_running": is_worker_running(),
        "steps": _steps(request, pages, repositories),
    }


def _waiting(request: HttpRequest) -> list[tuple[str, str]]:
    """Return what waits for a person, in words with its number, and the URL of its list."""
    found = []
    for choice, title in PLANS_OF_A_PERSON.items():
        rows = plans_of(choice, request, rows_of(request, Plan))
        if number := int(rows.order_by()[:MOST_WAITING].count()):
            address = f"{reverse('admin:bulkops_plan_changelist')}?{PersonalPlanFilter.parameter_name}={choice}"
            found.append((named_value(title, number), address))
    for status, words in _OPEN_IMPORTS.items():
        imports = rows_of(request, FileImport).filter(status=status)
        if number := int(imports.order_by()[:MOST_WAITING].count()):
            address = f"{reverse('admin:bulkops_fileimport_changelist')}?status__exact={status}"
            found.append((words % {"number": number}, address))
    return found


def _views(request: HttpRequest, pages: list[DimensionAdmin]) -> list[tuple[str, str, str]]:
    """Return the views that the user may open, their own first: the name, the dimension and the URL."""
    found = []
    for page in pages:
        if keys := page.open_keys(request):
            views = SavedView.open_to(request.user, page.dimension.name, keys)
            found += [(view.owner_id != request.user.pk, view.name, page, view) for view in views[:SHOWN_VIEWS]]
    found.sort(key=lambda each: each[:2])
    return [(name, str(page.opts.verbose_name_plural), view_address(page, view)) for _o, name, page, view in found][
        :SHOWN_VIEWS
    ]


def _steps(request: HttpRequest, pages: list[DimensionAdmin], repositories: list[Holdings]) -> list[Step]:
    """Return the steps of the first visit; none when all are done, or somebody does not want to see them."""
    open_pages = [page for page in pages if page.open_keys(request)]
    if _STEPS_COOKIE in request.COOKIES or not (open_pages or getattr(request.user, "is_superuser", False)):
        return []
    accounts = open_pages[-1].route("changelist") if open_pages else reverse("admin:repositories_repository_add")
    activities = admin.site.get_model_admin(ChangeSet).get_queryset(request).order_by("-committed_at")
    people = set(activities.values_list("user", flat=True)[:_LATEST])
    steps = [
        Step(_("Create a repository"), reverse("admin:repositories_repository_add"), bool(repositories)),
        Step(
            _("Import a chart of accounts, or create an account"),
            reverse("admin:bulkops_fileimport_add") if open_pages else accounts,
            any(count for one in repositories for *_link, count in one.counts),
        ),
        Step(_("Change an account, and see it under Latest changes"), accounts, request.user.get_username() in people),
        Step(
            _("Save the conditions of a list as a view"),
            accounts,
            SavedView.objects.filter(owner=request.user.pk).exists(),
        ),
        Step(
            _("Compare two repositories or moments, and see what would change before you apply it"),
            accounts,
            Plan.objects.filter(requester=request.user.get_username()).exists(),
        ),
    ]
    return [] if all(step.is_done for step in steps) else steps


@require_POST
def hide_steps(request: HttpRequest) -> HttpResponse:
    """Show the steps of the first visit in this browser no more."""
    response = redirect("admin:index")
    response.set_cookie(
        _STEPS_COOKIE, "hidden", _A_YEAR, path=reverse("admin:index"), secure=request.is_secure(), httponly=True
    )
    return response


def _repositories(request: HttpRequest, pages: list[DimensionAdmin], text: str) -> dict[int, Holdings]:
    """Return the user's repositories with the `text` in dbID or name, by primary key, sorted by dbID; one more than is
    shown.
    """
    found: dict[int, Holdings] = {}
    limit = limit_of_count(request, 1)
    for page in pages:
        rows = page.repositories(request).filter(Q(db_id__icontains=text) | Q(name__icontains=text))
        repositories = list(rows[: SHOWN_REPOSITORIES + 1])
        elements = [page.model.of(one.pk).order_by().values("element_id") for one in repositories]
        counts = count_each(elements, limit)
        for repository, count in zip(repositories, counts, strict=True):
            holdings = found.setdefault(repository.pk, Holdings(repository))
            link = f"{page.route('changelist')}?repository__id__exact={repository.pk}"
            name = page.opts.verbose_name if count == 1 else page.opts.verbose_name_plural
            holdings.counts.append((str(name), link, count_up_to(count, limit)))
    return dict(sorted(found.items(), key=lambda item: item[1].repository.db_id))
