"""The forms of an import: its target, and the meaning of its content."""

from dataclasses import replace
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.http import QueryDict
from django.template.defaultfilters import filesizeformat
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from bulkops.files.formats.rows import GZIP_ENDING, ReadingOptions
from bulkops.files.formats.table import FORMATS
from bulkops.files.imports.options import Mode, Share, remembered_mapping
from bulkops.files.workbooks.sheets import MAX_SHEET_ROWS
from bulkops.jobs.file_imports import Choices
from bulkops.models import FileImport
from dimensions_site.administration.files.columns import ColumnFields
from dimensions_site.administration.files.filling import FillingFields
from dimensions_site.elements.dimension import Dimension, dimensions
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import repositories_open_to
from dimensions_site.text.formats import shortened

_ENDINGS = [ending for known in FORMATS.values() for ending in known.endings]
_MODES = {
    Mode.MERGE: gettext_lazy("Create what is new, and change what is there"),
    Mode.CREATE: gettext_lazy("Only create: an id that exists already is an error"),
    Mode.UPDATE: gettext_lazy("Only change: an id that does not exist is an error"),
    Mode.SYNC: gettext_lazy("Make the repository equal to the file: what is not in the file is deleted"),
}


class UploadForm(forms.Form):
    """A file, and the repository and dimension that it is imported into.

    Offers those in which `user` may propose (contract G2, O4), those of `dimension` first. A single candidate
    is preselected, and so is the `repository` with that key.
    """

    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=UnfoldAdminFileFieldWidget({"accept": ",".join((*_ENDINGS, GZIP_ENDING))}),
        help_text=gettext_lazy(
            "A table with headings, in CSV or as an Excel workbook (.xlsx), or JSON or NDJSON. Each may be "
            "compressed with gzip."
        ),
    )

    def __init__(self, user: User, dimension: str, repository: str = "", data: Any = None, files: Any = None) -> None:
        super().__init__(data, files)
        self._targets = {
            f"{found.name}:{repository.pk}": (repository, found)
            for found in dimensions()
            for repository in repositories_open_to(user, found.name, Role.PROPOSER)
        }
        named = [(key, f"{repository} · {found.verbose_name}") for key, (repository, found) in self._targets.items()]
        fitting = [key for key in self._targets if not dimension or key.startswith(f"{dimension}:")]
        chosen = [key for key in fitting if key.endswith(f":{repository}")] or fitting
        named.sort(key=lambda target: target[0] not in chosen)
        target = forms.ChoiceField(
            label=_("Import into"),
            choices=[("", _("Choose")), *named],
            initial=chosen[0] if len(chosen) == 1 else "",
            widget=UnfoldAdminSelectWidget,
        )
        self.fields = {"target": target, **self.fields}

    @property
    def has_targets(self) -> bool:
        """Whether there is any target into which the user may import."""
        return bool(self._targets)

    @property
    def target_chosen(self) -> tuple[Repository, Dimension]:
        """Return the repository and dimension of a valid form."""
        return self._targets[self.cleaned_data["target"]]

    def clean_file(self) -> File[bytes]:
        file: File[bytes] = self.cleaned_data["file"]
        if file.size > settings.IMPORT_MAX_FILE_SIZE:
            message = _("The file is %(size)s; the limit is %(limit)s. Split it, or compress it with gzip.")
            sizes = {"size": filesizeformat(file.size), "limit": filesizeformat(settings.IMPORT_MAX_FILE_SIZE)}
            raise forms.ValidationError(message % sizes)
        return file


def reading_chosen(file_import: FileImport, data: QueryDict) -> ReadingOptions:
    """Return how the file is to be read, from what was sent; the rest stays as it is.

    Raises ValidationError for what the page does not offer.
    """
    preview = file_import.preview
    sheet = data.get("sheet") or preview["sheet"]
    encoding = data.get("encoding") or None
    row = data.get("other_row", "").strip() or data.get("heading_row", "")
    # Another sheet has other rows.
    chosen = row if sheet == preview["sheet"] else ""
    if sheet and sheet not in preview["sheets"] and sheet != preview["sheet"]:
        raise forms.ValidationError(_("Choose a sheet."))
    if encoding is not None and encoding not in dict(preview.get("encodings", [])):
        raise forms.ValidationError(_("Choose how the letters are stored."))
    if chosen and not (chosen.isascii() and chosen.isdigit() and 0 < int(chosen) <= MAX_SHEET_ROWS):
        message = _("'{row}' is not the number of a row.").format(row=shortened(chosen))
        raise forms.ValidationError(message)
    reading = Choices.of(file_import).reading
    return replace(
        reading, sheet=sheet or None, encoding=encoding or reading.encoding, heading_row=int(chosen) if chosen else None
    )


class ChoicesForm(forms.Form):
    """The meaning of the columns and the mode of the import; who may not delete proposes it."""

    strict = forms.BooleanField(
        label=gettext_lazy("Every reference must exist"),
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=gettext_lazy(
            "What a row refers to must be in the repository or in the file; otherwise the row has an error."
        ),
    )
    max_delete = forms.CharField(
        label=gettext_lazy("Delete at most"),
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy(
            "A number such as 20, or a share of what is stored such as 5%. When more would be deleted, nothing "
            "is imported."
        ),
    )

    def __init__(self, file_import: FileImport, data: Any = None) -> None:
        chosen = Choices.of(file_import)
        super().__init__(data, initial={"mode": chosen.mode, "strict": chosen.strict, "max_delete": chosen.max_delete})
        remembered, rules = ({}, {}) if chosen.mapping else remembered_mapping(file_import)
        self._chosen = replace(chosen, **rules)
        self.columns = ColumnFields(file_import, chosen.mapping, remembered, data)
        self.filling = FillingFields(file_import, self.columns, self._chosen.filled, data)
        modes = [(mode.value, text) for mode, text in _MODES.items()]
        mode = forms.ChoiceField(label=_("What to do"), choices=modes, widget=UnfoldAdminSelectWidget)
        self.fields = {"mode": mode, **self.fields}

    def clean_max_delete(self) -> str:
        text: str = self.cleaned_data["max_delete"].strip()
        if not text and self.cleaned_data.get("mode") != Mode.SYNC:
            return Choices.max_delete  # nothing is deleted
        try:
            Share.parse(text)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return text

    def clean(self) -> dict[str, Any]:
        self.columns.check()
        for error in (*self.columns.general_errors, *self.filling.errors):
            self.add_error(None, error)
        if self.columns.has_errors:
            self.add_error(None, _("Not every column has a field of its own yet. Choose one, or leave the column out."))
        return self.cleaned_data

    @property
    def choices(self) -> Choices:
        """Return the choices of a valid form."""
        language = get_language() or settings.LANGUAGE_CODE
        mapping, filled = self.columns.mapping, self.filling.filled
        return replace(self._chosen, mapping=mapping, filled=filled, language=language, **self.cleaned_data)
