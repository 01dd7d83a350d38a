"""The workbook of differences: of a comparison, or of a plan (contract J2)."""

from collections.abc import Iterable
from contextlib import ExitStack, closing
from tempfile import TemporaryFile

from django.http import FileResponse
from django.utils.translation import gettext as _

from bulkops.files.workbooks.writing import WorkbookWriter
from dimensions_site.administration.elements.comparing import ACTIONS
from dimensions_site.elements.writing.differences import Difference
from dimensions_site.text.files import Format


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
