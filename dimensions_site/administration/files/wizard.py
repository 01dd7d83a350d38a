"""Importing files in the admin, step by step: upload, columns, check, import (contract C12, G2)."""

from dataclasses import asdict, replace
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import content_disposition_header, urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from bulkops.files.formats.encodings import encodings_by_look
from bulkops.files.formats.rows import UnreadableFile
from bulkops.jobs import file_imports, uploads
from bulkops.jobs.file_imports import AT_WORK, WAITING, Choices
from bulkops.jobs.import_work import plan_of_import
from bulkops.jobs.uploads import UploadRefused
from bulkops.models import FileImport, FileImportPiece, ImportStatus
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.current import current_repository
from dimensions_site.administration.base.scope import JobAdmin, ScopedAdmin
from dimensions_site.administration.base.values import badge, column, local_minute, when
from dimensions_site.administration.elements.editing import NOT_SAVED
from dimensions_site.administration.files.corrections import PAGE, CorrectionsForm
from dimensions_site.administration.files.forms import ChoicesForm, UploadForm, reading_chosen
from dimensions_site.administration.files.results import effect_of, import_progress, result_of, writes
from dimensions_site.administration.proposals import proposes, undo_address, undo_page
from dimensions_site.changes.placing import ApprovalRequired
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.db.transactions import is_about_locks
from dimensions_site.repositories.models import Role


def _begin(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    """Redirect from the list of a dimension's elements to the first step of an import into its repository."""
    current = current_repository(request)
    query = {"dimension": admin.dimension.name, "repository": "" if current is None else current.pk}
    return redirect(f"{reverse('admin:bulkops_fileimport_add')}?{urlencode(query)}")


IMPORT_BUTTON = action(_begin, description=cast(str, _("Import")), permissions=["add"], icon="upload")


def _undo_id(row: FileImport) -> str | None:
    is_saved = row.status == ImportStatus.COMPLETED and not Choices.of(row).proposes
    return row.oid if is_saved and writes(row.report) else None


@admin.register(FileImport)
class FileImportAdmin(JobAdmin):
    """The list of imports, and the page of each one with its current step.

    The user who uploaded the file continues it; others who may propose in the repository can view it,
    and managers can stop it.
    """

    role = Role.PROPOSER

    list_display = [
        "file_name",
        "repository",
        "dimension",
        "requester",
        when("created_at", _("uploaded")),
        "state",
        column(_("Effect"), effect_of),
    ]
    search_fields = ["file_name", "requester"]
    search_help_text = _("Search by the name of the file or by who uploaded it")
    ordering = ["-created_at", "pk"]

    @admin.display(description=_("status"), ordering="status")
    def state(self, row: FileImport) -> str:
        """Return the status, and until when an import waits for its user."""
        removed = file_imports.removed_at(row)
        state = badge(row.status, row.get_status_display())
        if removed is None:
            return state
        return format_html("{} {}", state, gettext("until %(when)s") % {"when": local_minute(removed)})

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def add_view(self, request: HttpRequest, *_args: Any, **_named: Any) -> HttpResponse:
        """Show the first step: a file and its target."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        user, current = cast(User, request.user), current_repository(request)
        sent = (request.POST, request.FILES) if request.method == "POST" else ()
        form = UploadForm(user, request.GET.get("dimension", ""), "" if current is None else str(current.pk), *sent)
        if form.is_valid():
            file = form.cleaned_data["file"]
            try:
                repository, dimension = form.target_chosen
                file_import = file_imports.receive(user, repository, dimension.name, file.name, file.file)
            except (UnreadableFile, UploadRefused) as error:
                text = str(error)
                if isinstance(error, UnreadableFile) and error.failure.line > 1:
                    line = _("line %(line)s") % {"line": error.failure.line}
                    text = _("%(field)s: %(value)s") % {"field": capfirst(line), "value": text}
                form.add_error("file", text)
            else:
                return _to_page(file_import)
        return self.render_page(request, "admin/imports/upload.html", title=_("Import a file"), step=1, form=form)

    def change_view(self, request: HttpRequest, object_id: str, *_args: Any, **_named: Any) -> HttpResponse:
        """Show the current step of the import."""
        file_import = self.get_object(request, object_id)
        is_proposed = file_import.status == ImportStatus.COMPLETED and Choices.of(file_import).proposes
        if is_proposed and (plan := plan_of_import(file_import)):
            return redirect("admin:bulkops_plan_change", plan.pk)
        if file_import.status == ImportStatus.DRAFT and self._may_go_on(request, file_import):
            return self.columns_view(request, object_id)
        if file_import.status in AT_WORK:
            step = 3 if file_import.status == ImportStatus.CHECKING else 4
            progress = import_progress(file_import)
            return self._page(request, "progress", step, file_import, progress=progress)
        reason = ReasonField(file_import.repository, typed=file_import.reason or "")
        return self._result_page(request, file_import, reason)

    def _result_page(
        self,
        request: HttpRequest,
        file_import: FileImport,
        reason: ReasonField,
        corrections: CorrectionsForm | None = None,
    ) -> HttpResponse:
        return self._page(
            request,
            "result",
            3 if file_import.status in WAITING else 4,
            file_import,
            result=result_of(file_import),
            proposes=self._is_proposed(request, file_import),
            reason=reason,
            undo_address=undo_address(self, request, file_import, _undo_id(file_import)),
            corrections=corrections or CorrectionsForm(file_import, request.GET.get(PAGE)),
            page_var=PAGE,
        )

    def columns_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Show the second step, the meaning of the columns and the mode, or begin the check."""
        file_import = self._found_to_go_on(request, oid)
        if file_import.status not in WAITING:
            return _to_page(file_import)
        form = ChoicesForm(file_import, request.POST if request.method == "POST" else None)
        if form.is_valid():
            file_imports.check(file_import, form.choices)
            return _to_page(file_import)
        return self._columns_page(request, file_import, form)

    def _columns_page(self, request: HttpRequest, file_import: FileImport, form: ChoicesForm) -> HttpResponse:
        looks = encodings_by_look(file_import.preview.get("encodings", []))
        return self._page(request, "columns", 2, file_import, form=form, looks=looks)

    def again(self, request: HttpRequest, data: QueryDict, oid: str) -> HttpResponse:
        """Show the columns or corrections in `data` that were typed before the user signed in again."""
        file_import = self._found_to_go_on(request, oid)
        if file_import.status not in WAITING:
            return _to_page(file_import)
        messages.warning(request, NOT_SAVED)
        if PAGE not in data:
            return self._columns_page(request, file_import, ChoicesForm(file_import, data))
        corrections = CorrectionsForm(file_import, data.get(PAGE), data)
        reason = ReasonField(file_import.repository, typed=data.get(ReasonField.name, ""))
        return self._result_page(request, file_import, reason, corrections)

    def read_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Read the file again, with the sheet, the row of headings and the encoding that were chosen."""
        file_import = self._found_to_go_on(request, oid)
        if file_import.status in WAITING:
            try:
                file_imports.read_again(file_import, reading_chosen(file_import, request.POST))
            except (UnreadableFile, UploadRefused, forms.ValidationError) as error:
                messages.error(request, getattr(error, "message", str(error)))
            return redirect("admin:bulkops_fileimport_columns", file_import.pk)
        return _to_page(file_import)

    def confirm_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Have a worker import the checked file: all rows, or with `leave_out` those without errors."""
        file_import = self._found_to_go_on(request, oid)
        is_proposed = self._is_proposed(request, file_import)
        choices = replace(Choices.of(file_import), leaves_out_errors="leave_out" in request.POST, proposes=is_proposed)
        reason = ReasonField(file_import.repository, request.POST)
        if file_import.status == ImportStatus.CHECKED and not result_of(file_import)["can_import"]:
            messages.error(request, _("This cannot be imported as it is."))
        elif file_import.status == ImportStatus.CHECKED and reason.error:
            return self._result_page(request, file_import, reason)
        else:
            try:
                if not file_imports.confirm(file_import, choices, reason.reason):
                    messages.info(request, _("There is nothing to confirm: the import has already continued."))
            except ApprovalRequired as refusal:
                messages.error(request, str(refusal.detail))
        return _to_page(file_import)

    def correct_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Have the file checked again with the cells that were corrected on the page, or with `take_back` as it is."""
        file_import = self._found_to_go_on(request, oid)
        if file_import.status != ImportStatus.CHECKED:
            return _to_page(file_import)
        choices, reason = Choices.of(file_import), ReasonField(file_import.repository, request.POST)
        kept = reason.reason or file_import.reason
        if "take_back" in request.POST:
            choices = replace(choices, values={}, without_totals=False)
            file_imports.check(file_import, choices, corrections=None, reason=kept)
            return _to_page(file_import)
        corrections = CorrectionsForm(file_import, request.POST.get(PAGE), request.POST)
        merged = corrections.merged()
        if corrections.error:
            typed = ReasonField(file_import.repository, typed=reason.typed)
            return self._result_page(request, file_import, typed, corrections)
        without_totals = choices.without_totals or "without_totals" in request.POST
        choices = replace(choices, values=corrections.rules, without_totals=without_totals)
        file_imports.check(file_import, choices, corrections=merged, reason=kept)
        return _to_page(file_import)

    def drop_view(self, request: HttpRequest, oid: str) -> HttpResponse:
        """Cancel the import; nothing is saved."""
        file_import = self.get_object(request, oid)
        if not self._may_drop(request, file_import):
            raise PermissionDenied
        try:
            is_dropped = file_imports.drop(file_import)
        except OperationalError as error:
            if not is_about_locks(error):
                raise
            messages.error(request, _("The import cannot be cancelled while it is being saved. Try again in a moment."))
            return _to_page(file_import)
        if is_dropped:
            messages.success(request, _("The import was cancelled and its file removed. Nothing was saved."))
        else:
            messages.error(request, _("The import cannot be cancelled any more: it has ended."))
        return _to_page(file_import)

    def progress_view(self, request: HttpRequest, oid: str) -> JsonResponse:
        """Return the worker's progress for the page."""
        return JsonResponse(asdict(import_progress(self.get_object(request, oid))))

    def rejects_view(self, request: HttpRequest, oid: str) -> StreamingHttpResponse:
        """Return the rows with errors and their messages, as a file like the uploaded one."""
        file_import = self.get_object(request, oid)
        if not file_import.report.get("has_rejects"):
            raise Http404
        content = uploads.stored_content(file_import, FileImportPiece.File.REJECTS)
        name = content_disposition_header(as_attachment=True, filename=f"rejects-{file_import.file_name}")
        kind = "application/octet-stream"
        return StreamingHttpResponse(content, content_type=kind, headers={"Content-Disposition": name or ""})

    pages = [
        undo_page(_undo_id),
        Page("columns", "<str:oid>/columns/", columns_view, again=again),
        Page("confirm", "<str:oid>/confirm/", confirm_view, "POST"),
        Page("correct", "<str:oid>/correct/", correct_view, "POST", again=again),
        Page("drop", "<str:oid>/drop/", drop_view, "POST"),
        Page("read", "<str:oid>/read/", read_view, "POST"),
        Page("progress", "<str:oid>/progress/", progress_view, "GET"),
        Page("rejects", "<str:oid>/rejects/", rejects_view, "GET"),
    ]

    def _page(
        self, request: HttpRequest, name: str, step: int, file_import: FileImport, **context: Any
    ) -> HttpResponse:
        return self.render_page(
            request,
            f"admin/imports/{name}.html",
            title=file_import.file_name,
            step=step,
            file_import=file_import,
            may_go_on=self._may_go_on(request, file_import),
            may_drop=self._may_drop(request, file_import),
            **context,
        )

    def _is_proposed(self, request: HttpRequest, file_import: FileImport) -> bool:
        """Return whether the user proposes what the import would do (contract O4)."""
        if not self.has_role(request, file_import, replace(Choices.of(file_import), proposes=False).role):
            return True
        deletes = bool(file_import.report.get("deleted"))
        return proposes(request, file_import.repository, file_import.dimension, deletes=deletes)

    def _found_to_go_on(self, request: HttpRequest, oid: str) -> FileImport:
        file_import: FileImport = self.get_object(request, oid)
        if not self._may_go_on(request, file_import):
            raise PermissionDenied
        return file_import

    def _may_go_on(self, request: HttpRequest, file_import: FileImport) -> bool:
        return file_import.requested_by_id == request.user.pk

    def _may_drop(self, request: HttpRequest, file_import: FileImport) -> bool:
        is_open = file_import.status in (*WAITING, *AT_WORK)
        return is_open and (self._may_go_on(request, file_import) or self.has_role(request, file_import, Role.MANAGER))


def _to_page(file_import: FileImport) -> HttpResponse:
    return redirect("admin:bulkops_fileimport_change", file_import.pk)
