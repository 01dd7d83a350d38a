"""The versions of elements in the admin, deleted ones included, and restoring them (contract C18)."""

from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import ValidationError

from dimensions_site.administration.base.bounded import LONGEST_SEARCH, Page
from dimensions_site.administration.base.current import current_repository
from dimensions_site.administration.base.differences import with_marks
from dimensions_site.administration.base.naming import shown_description
from dimensions_site.administration.base.paging import page_number, report_missing_page, requested_page
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.administration.elements.attempts import stored_element
from dimensions_site.administration.elements.editing import shown_again
from dimensions_site.administration.proposals import open_plan, propose, proposes
from dimensions_site.api.errors import Problem, as_problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.writing.differences import differences
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.elements.writing.restoring import compare_versions, deleted_elements, restored_json
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import moment

VERSIONS_A_PAGE = 25
DELETED_A_PAGE = 100
# The list of deleted elements needs only these columns; an element has many more.
_LISTED = ("repository", "element_id", "descriptions", "change_set__user", "change_set__committed_at")


def show_history(admin: ScopedAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    """Show the versions of the element, the latest first, and what each changed; `?p=2` is the second page."""
    element = admin.get_object(request, unquote(object_id))
    return _versions(admin, request, element.repository, element.element_id, element)


def show_deleted(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    """Show the elements that were deleted and not restored, the latest first; `?q=10` searches in their ids."""
    repositories, current = admin.repositories(request).in_bulk(), current_repository(request)
    if current is not None and current.pk in repositories:
        repositories = {current.pk: current}
    search = request.GET.get(SEARCH_VAR, "")
    found = deleted_elements(admin.model, list(repositories))
    if search:
        is_possible = len(search) <= LONGEST_SEARCH and "\0" not in search
        found = found.filter(element_id__icontains=search) if is_possible else found.none()
    number = page_number(request)
    first = (number - 1) * DELETED_A_PAGE
    if number > 1 and not found.only("pk")[first:].exists():
        number, first = 1, 0
    report_missing_page(request, number)
    # One more row shows whether there is a next page; counting all of them could take long.
    rows = list(found.only(*_LISTED)[first : first + DELETED_A_PAGE + 1])
    return admin.render_page(
        request,
        "admin/history/deleted.html",
        title=DELETED_PAGE.title_of(admin),
        search=search,
        deleted=[
            (row, admin.route("version", row.number), repository, shown_description(row, repository))
            for row in rows[:DELETED_A_PAGE]
            for repository in [repositories[row.repository_id]]
        ],
        number=number,
        has_next=len(rows) > DELETED_A_PAGE,
    )


def show_version(admin: ScopedAdmin, request: HttpRequest, version: int) -> HttpResponse:
    """Show the versions of a deleted element; an existing one is redirected to its own page."""
    row = _version(admin, request, version)
    living = _living(admin, row)
    if living is not None:
        return redirect(admin.route("history", living.pk))
    return _versions(admin, request, row.repository, row.element_id, None)


def restore_version(admin: ScopedAdmin, request: HttpRequest, version: int) -> HttpResponse:
    """Save the values of an old version as a new one, by the rules of every other save, or propose it (contract O4).

    An element that exists is shown first as it is and as it would be, to choose fields; what others save meanwhile is
    shown again.
    """
    row = _version(admin, request, version)
    if not _may_restore(admin, request, row.repository):
        raise PermissionDenied
    living = _living(admin, row)
    is_sent, typed = request.method == "POST", request.POST.get(ReasonField.name, "")
    reason = ReasonField(row.repository, request.POST if is_sent else None, typed)
    only = set(request.POST.getlist("field")) if "_etag" in request.POST else None
    if living is not None and (not is_sent or reason.error or only == set()):
        if is_sent and only == set():
            messages.error(request, _("Nothing was restored: choose at least one field."))
        return _preview(admin, request, row, living, reason, only)
    if not is_sent or reason.error:
        further = {"refused": reason, "refused_version": row.number}
        return _versions(admin, request, row.repository, row.element_id, None, **further)
    return _restored(admin, request, row, living, reason.reason, only)


def _restored(
    admin: ScopedAdmin, request: HttpRequest, row: Any, living: Any, reason: str | None, only: set[str] | None
) -> HttpResponse:
    """Restore the version in `row`, or `only` these fields of it, or propose it, and say what became of it."""
    dimension, repository, wire = admin.dimension, row.repository, admin.dimension.wire
    stored = None if living is None else stored_element(dimension, admin.get_object(request, str(living.pk)))
    # The version that the user has seen.
    seen = None if stored is None else stored.etag if only is None else request.POST["_etag"]
    back = admin.route("version" if only is None else "restore", row.number)
    outdated = _("It was saved meanwhile; check what would change now.")
    wanted, is_new = wire.json_of(row, repository.default_language), stored is None or "is_deleted" in request.POST
    restored = wanted if stored is None or is_new else restored_json(wire, stored.json, wanted, only)
    if proposes(request, repository, dimension.name):
        if stored is not None and stored.etag != seen:
            messages.error(request, outdated)
            return redirect(back)
        elements = {"post" if stored is None else "put": restored or wanted}
        make = partial(propose, request, dimension, repository, reason=reason, elements=elements)
        return open_plan(request, make, back=back)
    values = {"id": row.element_id, "date": moment(row.change_set.committed_at)}
    if restored is None:
        same = _("%(id)s is the same as in the version of %(date)s; there is nothing to restore.")
        messages.info(request, same % values)
        return redirect(admin.route("version", row.number))

    def allow(text: str | None) -> None:
        if (None if text is None else etag_of(text)) != seen:
            raise Problem(HTTPStatus.CONFLICT, "CHANGED", outdated)

    actor = Actor(request.user.get_username(), Channel.RESTORE, reason=reason)
    editor = Editor(dimension, repository, actor, allow)
    try:
        editor.create(restored) if is_new else editor.replace(row.element_id, restored)
    except (ValidationError, Problem) as error:
        problem = as_problem(error)
        for refusal in [failure.message for failure in problem.failures] or [str(problem.detail)]:
            messages.error(request, _("Not restored: %(reason)s") % {"reason": refusal})
        return redirect(back)
    messages.success(request, _("%(id)s was restored to the version of %(date)s.") % values)
    return redirect(admin.route("version", row.number))


def _preview(
    admin: ScopedAdmin, request: HttpRequest, row: Any, living: Any, reason: ReasonField, chosen: set[str] | None = None
) -> HttpResponse:
    """Show what restoring the version in `row` would change, field by field; all of them are `chosen` at first."""
    stored = stored_element(admin.dimension, admin.get_object(request, str(living.pk)))
    wire = admin.dimension.wire
    found = differences(wire, stored.json, wire.json_of(row, row.repository.default_language))
    return admin.render_page(
        request,
        "admin/history/restore.html",
        title=_("Restore %(id)s") % {"id": row.element_id},
        row=row,
        element=living,
        etag=stored.etag,
        reason=reason,
        proposes=proposes(request, row.repository, admin.dimension.name),
        differences=[(difference, chosen is None or difference.path in chosen) for difference in with_marks(found)],
    )


def _versions(
    admin: ScopedAdmin, request: HttpRequest, repository: Repository, element_id: str, element: Any, **further: Any
) -> HttpResponse:
    """Return the page with the versions of an element, which is None if it is deleted."""
    title = _("Versions of %(id)s, which is deleted") if element is None else _("Versions of %(id)s")
    versions = admin.model.versions_within([repository.pk]).filter(element_id=element_id)
    page = requested_page(request, versions, VERSIONS_A_PAGE)
    first = (page.number - 1) * VERSIONS_A_PAGE
    # One more shows what the last of them changed.
    part = versions[first : first + VERSIONS_A_PAGE + 1]
    shown = compare_versions(admin.dimension, part, {repository.pk: repository}, VERSIONS_A_PAGE)
    return admin.render_page(
        request,
        "admin/history/versions.html",
        title=title % {"id": element_id},
        repository=repository,
        element=element,
        versions=[replace(one, differences=[*with_marks(one.differences)]) if one.is_change else one for one in shown],
        page=page,
        page_numbers=page.paginator.get_elided_page_range(page.number),
        page_var=PAGE_VAR,
        may_restore=_may_restore(admin, request, repository),
        reason=ReasonField(repository),
        proposes=proposes(request, repository, admin.dimension.name),
        # The current version needs no restoring.
        current=shown[0].row.number if element is not None and page.number == 1 else None,
        **further,
    )


def _version(admin: ScopedAdmin, request: HttpRequest, key: int) -> Any:
    """Return the row of the history, if it is of a repository that the user may see."""
    open_to = admin.open_keys(request)
    row = admin.model.versions_within(open_to).select_related("repository").filter(pk=key).first()
    if row is None:
        raise Http404
    return row


def _living(admin: ScopedAdmin, row: Any) -> Any:
    """Return the element that has the id of the row now, if there is one."""
    return admin.model.of(row.repository_id).filter(element_id=row.element_id).only("pk", "element_id").first()


def _may_restore(admin: ScopedAdmin, request: HttpRequest, repository: Repository) -> bool:
    return repository.pk in admin.open_keys(request, Role.PROPOSER)


_DELETED = gettext_lazy("Deleted %(elements)s")
DELETED_PAGE = Page("deleted_elements", "deleted/", show_deleted, "GET", "view", _DELETED, "restore_from_trash")
HISTORY_PAGES = (
    DELETED_PAGE,
    Page("version", "versions/<int:version>/", show_version, "GET"),
    Page("restore", "versions/<int:version>/restore/", restore_version, again=shown_again(restore_version)),
    # Django's own would show only what was changed in the admin.
    Page("history", "<path:object_id>/history/", show_history),
)
