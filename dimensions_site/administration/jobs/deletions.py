"""Deletion jobs and their progress, for everybody with a grant there (contract F, G2)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from bulkops.jobs import processing
from bulkops.jobs.heartbeat import is_worker_running
from bulkops.models import DataProcessing, Status
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.scope import JobAdmin
from dimensions_site.administration.base.values import number, state, when
from dimensions_site.administration.proposals import undo_address, undo_page
from dimensions_site.api.errors import Problem
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import grouped_number

# How many of the ids that were not found the page lists.
_LISTED = 100


@dataclass(frozen=True)
class JobProgress:
    """The `percentage` of a job that is done; the page's script shows the texts, which may be empty."""

    is_running: bool
    percentage: int
    status: str
    counts: str = ""
    not_found: str = ""
    in_use: str = ""
    error: str = ""


def _undo_id(row: DataProcessing) -> str | None:
    return row.oid if row.deleted and row.status != Status.RUNNING else None


@admin.register(DataProcessing)
class DataProcessingAdmin(JobAdmin):
    """The list of deletion jobs, and a page with live progress for each."""

    list_display = [
        when("request_date_time", gettext_lazy("requested at")),
        "repository",
        "dimension",
        "requester",
        state(gettext_lazy("status")),
        "processed_of",
        number("deleted", gettext_lazy("deleted")),
    ]
    search_fields = ["oid", "requester"]
    search_help_text = gettext_lazy("Search by id or requester")
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

    @admin.display(description=gettext_lazy("processed"))
    def processed_of(self, obj: DataProcessing) -> str:
        return _("%(processed)s of %(requested)s") % {
            "processed": grouped_number(obj.processed),
            "requested": grouped_number(obj.requested),
        }


def deletion_progress(processing: DataProcessing) -> JobProgress:
    """Return the current progress of the deletion."""
    return JobProgress(
        is_running=processing.status == Status.RUNNING,
        percentage=100 * processing.processed // max(processing.requested, 1),
        status=_deletion_status(processing),
        counts=_("%(processed)s of %(requested)s processed, %(deleted)s deleted")
        % {
            "processed": grouped_number(processing.processed),
            "requested": grouped_number(processing.requested),
            "deleted": grouped_number(processing.deleted),
        },
        not_found=_not_found(processing),
        in_use=_in_use(processing),
        error=processing.error or "",
    )


def _deletion_status(processing: DataProcessing) -> str:
    ended = {
        Status.COMPLETED: _("Completed"),
        Status.FAILED: _("Failed"),
        Status.ABORTED: _("Stopped; what is deleted stays deleted"),
    }
    if processing.status in ended:
        return ended[Status(processing.status)]
    if processing.claimed_by is not None:
        return _("Running")
    return waiting_words()


def waiting_words() -> str:
    """Return what a job waits for that no worker has claimed."""
    if is_worker_running():
        return _("Waiting for its turn")
    return _("Waiting: no worker is running. Ask the operators of the service; the job continues when one is started.")


def _in_use(processing: DataProcessing) -> str:
    number = processing.refused or 0
    message = ngettext("%(count)s is in use and stays: %(ids)s", "%(count)s are in use and stay: %(ids)s", number)
    return _with_ids(message, number, [used["id"] for used in (processing.in_use or ())[:_LISTED]])


def _not_found(processing: DataProcessing) -> str:
    number = processing.processed - processing.deleted - (processing.refused or 0)
    message = ngettext("%(count)s was not found: %(ids)s", "%(count)s were not found: %(ids)s", number)
    return _with_ids(message, number, processing.not_found[:_LISTED])


def _with_ids(message: str, number: int, ids: Sequence[str]) -> str:
    """Return the message about a `number` of elements with the first `ids`; an empty text about none."""
    more = ["…"] if number > len(ids) else []
    return message % {"count": grouped_number(number), "ids": ", ".join([*ids, *more])} if number else ""
