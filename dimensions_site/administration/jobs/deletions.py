"""Deletion jobs, for everybody with a grant there (contract F, G2)."""

from dataclasses import asdict
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from bulkops.jobs import processing
from bulkops.models import DataProcessing, Status
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.scope import JobAdmin
from dimensions_site.administration.base.values import number, state, when
from dimensions_site.administration.jobs.progress import deletion_progress
from dimensions_site.administration.proposals import undo_address, undo_page
from dimensions_site.api.errors import Problem
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import grouped_number


def _undo_id(row: DataProcessing) -> str | None:
    return row.oid if row.deleted and row.status != Status.RUNNING else None


@admin.register(DataProcessing)
class DataProcessingAdmin(JobAdmin):
    """The list of deletion jobs, and a page with live progress for each."""

    list_display = [
        when("request_date_time", _("requested at")),
        "repository",
        "dimension",
        "requester",
        state(_("status")),
        "processed_of",
        number("deleted", _("deleted")),
    ]
    search_fields = ["oid", "requester"]
    search_help_text = _("Search by id or requester")
    ordering = ["-pk"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataProcessing]:
        return super().get_queryset(request).defer("not_found", "in_use")

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_named: Any) -> HttpResponse:
        """Return the page of the job, which polls `progress_view` while it runs."""
        found = self.get_object(request, object_id)
        return self.render_page(
            request,
            "admin/deletions/progress.html",
            title=_("Deletion in %(repository)s") % {"repository": found.repository.name},
            processing=found,
            progress=deletion_progress(found),
            undo_address=undo_address(self, request, found, _undo_id(found)),
            may_abort=self.has_role(request, found, Role.MANAGER),
        )

    def progress_view(self, request: HttpRequest, pk: int) -> JsonResponse:
        """Return the job's progress for the page."""
        return JsonResponse(asdict(deletion_progress(self.get_object(request, str(pk)))))

    def abort_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Stop the job before its next chunk (contract F5): for managers."""
        found = self.get_object(request, str(pk))
        if not self.has_role(request, found, Role.MANAGER):
            raise PermissionDenied
        try:
            processing.abort(found)
        except Problem as problem:
            messages.error(request, str(problem.detail))
        else:
            messages.success(request, _("The deletion was stopped. What is deleted stays deleted."))
        return redirect(self.route("change", found.pk))

    pages = [
        undo_page(_undo_id),
        Page("progress", "<int:pk>/progress/", progress_view, "GET"),
        Page("abort", "<int:pk>/abort/", abort_view, "POST"),
    ]

    @admin.display(description=_("processed"))
    def processed_of(self, obj: DataProcessing) -> str:
        return _("%(processed)s of %(requested)s") % {
            "processed": grouped_number(obj.processed),
            "requested": grouped_number(obj.requested),
        }
