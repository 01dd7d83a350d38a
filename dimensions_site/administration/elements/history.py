"""The versions of elements in the admin, deleted ones included, and restoring them (contract C18)."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dimensions_site.administration.elements.scope import ScopedAdmin
from dimensions_site.administration.lists.described import shown_description
from dimensions_site.administration.people.paging import page_number, report_missing_page, requested_page
from dimensions_site.administration.people.repositories import LONGEST_SEARCH
from dimensions_site.changes.models import Channel
from dimensions_site.changes.reasons import ReasonField
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.elements.writing.restoring import (
    NotRestored,
    compare_versions,
    deleted_elements,
    restore,
)
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import moment

VERSIONS_A_PAGE = 25
DELETED_A_PAGE = 100
# The list of deleted elements needs only these columns; an element has many more.
_LISTED = ("repository", "element_id", "descriptions", "change_set__user", "change_set__committed_at")


class HistoryMixin(ScopedAdmin):
    """The page with the versions of an element, and the list of deleted elements."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        restore = view(require_POST(self.restore_view))
        return [
            path("deleted/", view(require_GET(self.deleted_elements)), name=self.url_name("deleted_elements")),
            path("versions/<int:version>/", view(require_GET(self.version_view)), name=self.url_name("version")),
            path("versions/<int:version>/restore/", restore, name=self.url_name("restore")),
            *super().get_urls(),
        ]

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the versions of the element page by page, the latest first, and what each changed; `?p=2` is the second
        page.

        Django's own page would show only what was changed in the admin.
        """
        element = self.get_object(request, unquote(object_id))
        title = _("Versions of %(id)s") % {"id": element.element_id}
        return self._versions(request, element.repository, element.element_id, element, title)

    def deleted_elements(self, request: HttpRequest) -> HttpResponse:
        """Show the elements that were deleted and not restored, the latest first; `?q=10` searches in their ids."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        repositories = self.repositories(request).in_bulk()
        search = request.GET.get(SEARCH_VAR, "")
        found = deleted_elements(self.model, list(repositories))
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
        return self.render_page(
            request,
            "admin/history/deleted.html",
            title=_("Deleted elements: %(elements)s") % {"elements": self.opts.verbose_name_plural},
            search=search,
            deleted=[
                (row, self.address_of_version(row), repository, shown_description(row, repository))
                for row in rows[:DELETED_A_PAGE]
                for repository in [repositories[row.repository_id]]
            ],
            number=number,
            has_next=len(rows) > DELETED_A_PAGE,
        )

    def address_of_version(self, row: Any) -> str:
        """Return the URL of the element's versions for a `row` of the history, whether the element exists or not."""
        return self.route("version", row.number)

    def version_view(self, request: HttpRequest, version: int) -> HttpResponse:
        """Show the versions of a deleted element; an existing one is redirected to its own page."""
        row = self._version(request, version)
        living = self._living(row)
        if living is not None:
            return redirect(self.route("history", living.pk))
        return self._versions_of_row(request, row, None)

    def _versions_of_row(self, request: HttpRequest, row: Any, living: Any, **further: Any) -> HttpResponse:
        title = _("Versions of %(id)s, which is deleted") if living is None else _("Versions of %(id)s")
        words = {"id": row.element_id}
        return self._versions(request, row.repository, row.element_id, living, title % words, **further)

    def restore_view(self, request: HttpRequest, version: int) -> HttpResponse:
        """Save the values of an old version as a new one: for editors, by the rules of every other save."""
        row = self._version(request, version)
        if not self._may_restore(request, row.repository):
            raise PermissionDenied
        reason = ReasonField(row.repository, request.POST)
        if reason.error:
            return self._versions_of_row(request, row, self._living(row), refused=reason, refused_version=row.number)
        actor = Actor(request.user.get_username(), Channel.RESTORE, reason=reason.reason)
        editor = Editor(self.dimension, row.repository, actor, allow=lambda text: None)
        values = {"id": row.element_id, "date": moment(row.change_set.committed_at)}
        try:
            is_changed = restore(editor, row, is_deleted="is_deleted" in request.POST)
        except NotRestored as refusal:
            for failure in refusal.failures:
                messages.error(request, _("Not restored: %(reason)s") % {"reason": failure.message})
        else:
            if is_changed:
                messages.success(request, _("%(id)s was restored to the version of %(date)s (UTC).") % values)
            else:
                messages.info(
                    request,
                    _("%(id)s is the same as in the version of %(date)s (UTC); there is nothing to restore.") % values,
                )
        return redirect(self.address_of_version(row))

    def _versions(
        self, request: HttpRequest, repository: Repository, element_id: str, element: Any, title: str, **further: Any
    ) -> HttpResponse:
        versions = self.model.versions_within([repository.pk]).filter(element_id=element_id)
        page = requested_page(request, versions, VERSIONS_A_PAGE)
        first = (page.number - 1) * VERSIONS_A_PAGE
        # One more shows what the last of them changed.
        part = versions[first : first + VERSIONS_A_PAGE + 1]
        shown = compare_versions(self.dimension, part, repository, VERSIONS_A_PAGE)
        return self.render_page(
            request,
            "admin/history/versions.html",
            title=title,
            repository=repository,
            element=element,
            versions=shown,
            page=page,
            page_numbers=page.paginator.get_elided_page_range(page.number),
            page_var=PAGE_VAR,
            may_restore=self._may_restore(request, repository),
            reason=ReasonField(repository),
            # The current version needs no restoring.
            current=shown[0].row.number if element is not None and page.number == 1 else None,
            **further,
        )

    def _version(self, request: HttpRequest, key: int) -> Any:
        """Return the row of the history, if it is of a repository that the user may see."""
        open_to = self.open_keys(request)
        row = self.model.versions_within(open_to).select_related("repository").filter(pk=key).first()
        if row is None:
            raise Http404
        return row

    def _living(self, row: Any) -> Any:
        """Return the element that has the id of the row now, if there is one."""
        return self.model.of(row.repository_id).filter(element_id=row.element_id).only("pk", "element_id").first()

    def _may_restore(self, request: HttpRequest, repository: Repository) -> bool:
        return repository.pk in self.open_keys(request, Role.EDITOR)
