"""Export the differences between two states to a workbook (contract J2)."""

from collections.abc import Iterable
from contextlib import ExitStack, closing
from tempfile import TemporaryFile

from django.db import OperationalError
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from bulkops.files.workbooks.writing import TableTooLarge, WorkbookWriter
from dimensions_site.administration.elements.comparing import ACTIONS, ComparedAdmin, CompareForm, point_out_timeout
from dimensions_site.elements.history.comparing import compare_states
from dimensions_site.elements.writing.differences import Difference, in_words
from dimensions_site.text.files import Format


class DifferencesExportMixin(ComparedAdmin):
    """Adds the workbook to the page that compares."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_GET(self.compare_export_view))
        return [path("compare/export/", view, name=self.url_name("compare_export")), *super().get_urls()]

    def compare_export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Return the complete workbook, or the page that compares if its form has errors."""
        form = self.compare_form(request)
        if not form.is_bound:
            return redirect(self.route("compare"))
        if form.is_valid():
            try:
                return self._workbook(form)
            except TableTooLarge:
                form.add_error(None, _("The differences do not fit into a workbook. Restrict them by a filter."))
            except OperationalError as error:
                point_out_timeout(form, error)
        return self.compare_page(request, form)

    def _workbook(self, form: CompareForm) -> FileResponse:
        name = "-".join(dict.fromkeys(side.repository.db_id for side in form.sides))
        with closing(compare_states(*form.sides)) as elements:
            rows = ((element.id, element.action, in_words(element.fields())) for element in elements)
            return workbook_of(rows, f"{name}-{self.dimension}-differences")


def workbook_of(rows: Iterable[tuple[str, str, list[Difference]]], name: str) -> FileResponse:
    """Return the workbook of elements: the id, what happened to it as in `ACTIONS`, and the values that differ.

    Raises TableTooLarge.
    """
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile())
        with closing(WorkbookWriter(file)) as workbook:
            workbook.headings([_("Id"), _("Action"), _("Field"), _("Before"), _("After"), _("Path")])
            for id, action, changes in rows:
                for change in changes:
                    values = [change.heading, change.before, change.after, change.path]
                    workbook.row([id, str(ACTIONS[action].label), *values])
        file.seek(0)
        stack.pop_all()
    name = f"{name}.{Format.XLSX}"
    return FileResponse(file, as_attachment=True, filename=name, content_type=Format.XLSX.content_type)
