"""Export a list or what is selected there: a file to import again, or one as people read it (contract H4, G2)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, BinaryIO, cast

from django import forms
from django.contrib import messages
from django.contrib.admin import action as admin_action
from django.db.models import Count, QuerySet
from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from bulkops.files.exporting import chosen_paths, write_export
from bulkops.files.formats.rows import FileShape
from bulkops.files.formats.table import FORMATS
from bulkops.files.workbooks.writing import TableTooLarge
from dimensions_site.administration.base.differences import complete_file, table_file
from dimensions_site.administration.base.past import asked_moment, instant_of
from dimensions_site.administration.base.scope import selection
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.elements.declaration.wire import NamedField, Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.selection import DESCRIPTIONS
from dimensions_site.elements.reading.tables import MAX_COLUMNS, keys_of
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format
from dimensions_site.text.formats import moment

# More do not fit on the page; a table with all of them can still be chosen.
_MAX_LANGUAGES = 100
# The button for a file as people read it, and its formats.
_SHOWN, _READ = "shown", (Format.XLSX, Format.CSV)
# How many rows are read at a time.
_TOGETHER = 1_000


class ExportForm(forms.Form):
    """The format of the file, its names and those of the `languages` in use that it has.

    If there are several `repositories` (by key), one is chosen.
    """

    format = forms.TypedChoiceField(
        label=_("Format"),
        choices=[(format, known.label) for format, known in FORMATS.items()],
        coerce=Format,
        widget=UnfoldAdminSelectWidget,
    )
    labels = forms.TypedChoiceField(
        label=_("Headings and values"),
        choices=[
            ("", _("As in the REST API, such as nature and BALANCE_SHEET")),
            ("yes", _("Labels in your language, as on these pages")),
        ],
        coerce=bool,
        empty_value=None,
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("An import here reads both. JSON always has the names of the REST API."),
    )

    def __init__(
        self, wire: Wire, repositories: Mapping[int, Repository], languages: Sequence[str], data: Any = None
    ) -> None:
        super().__init__(data)
        self._wire = wire
        self._repositories = repositories
        if len(languages) > 1:
            self.fields["languages"] = forms.MultipleChoiceField(
                label=_("Languages"),
                choices=[(one, NamedField(one, wire.places[DESCRIPTIONS], one).key_in_words) for one in languages],
                required=False,
                widget=UnfoldAdminCheckboxSelectMultipleWidget,
                help_text=_("The languages of descriptions. Without a choice, the file has all of them."),
            )
        if len(repositories) > 1:
            choices = [("", _("Choose")), *((str(key), str(found)) for key, found in repositories.items())]
            repository = forms.TypedChoiceField(
                label=_("Repository"),
                choices=choices,
                coerce=int,
                widget=UnfoldAdminSelectWidget,
                help_text=_("A file holds one repository."),
            )
            self.fields = {"repository": repository, **self.fields}

    def clean(self) -> dict[str, Any]:
        chosen: dict[str, Any] = self.cleaned_data
        key = chosen.get("repository", next(iter(self._repositories)))
        repository = chosen["repository"] = self._repositories[key]
        languages = ",".join(chosen.pop("languages", ()))
        chosen["paths"], _failures = chosen_paths(self._wire, repository, None, languages or None)
        return chosen


@admin_action(description=_("Export"), permissions=["view"])
def export_elements(admin: ListedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponseBase | None:
    """Return the page for the selected elements, or the file when that page is submitted."""
    return _export_page(admin, request, queryset, request.get_full_path(), selection(request))


def _export_page(
    admin: ListedAdmin, request: HttpRequest, elements: QuerySet[Any], address: str, chosen: Mapping[str, Any]
) -> HttpResponseBase | None:
    """Return the page with the form, or the file when it is submitted; None and a message if there are no
    elements.
    """
    counts = dict(elements.order_by().values_list("repository").annotate(Count("pk")))
    repositories = {found.pk: found for found in admin.repositories(request).filter(pk__in=counts)}
    if not repositories:
        messages.warning(request, _("There is nothing to export: nothing was found."))
        return None
    # There are elements, so the moment is valid.
    instant = instant_of(asked_moment(request)) if asked_moment(request) else None
    wire = admin.dimension.wire
    languages = keys_of(wire.places[DESCRIPTIONS], elements)[:_MAX_LANGUAGES]
    form = ExportForm(wire, repositories, languages, request.POST if "format" in request.POST else None)
    try:
        if (shown := request.POST.get(_SHOWN)) in _READ:
            return _shown_file(admin, request, elements, Format(shown))
        if form.is_valid():
            return _file(admin.dimension, elements, instant, **form.cleaned_data)
    except TableTooLarge as error:
        if not form.is_bound:
            messages.error(request, str(error))
        else:
            form.add_error("format", str(error))
    return admin.render_page(
        request,
        "admin/exports/export.html",
        title=_("Export %(elements)s") % {"elements": admin.opts.verbose_name_plural},
        form=form,
        columns=[_("Id"), *(column.heading for column in admin.columns_of(request))],
        readable=[(format, FORMATS[format].label) for format in _READ],
        counts=[(found, counts[key]) for key, found in repositories.items()],
        instant=None if instant is None else moment(instant),
        address=address,
        **chosen,
    )


def _file(
    dimension: Dimension,
    elements: QuerySet[Any],
    instant: datetime | None,
    *,
    repository: Repository,
    format: Format,
    paths: Sequence[str],
    labels: bool | None,
) -> FileResponse:
    """Return the file with the elements of the repository. Raises TableTooLarge."""

    def write(file: BinaryIO, shape: FileShape) -> None:
        write_export(
            elements.filter(repository=repository),
            dimension.wire,
            repository,
            paths=paths,
            shape=shape,
            file=file,
            progress=lambda count: None,
            max_columns=MAX_COLUMNS,
            labels=labels or False,
        )

    date = f"{timezone.now():%Y-%m-%d}" if instant is None else f"{instant:%Y-%m-%dT%H%M%SZ}"
    with override("en"):  # the names of files are the same for everybody
        elements_name = slugify(str(dimension.verbose_name_plural))
    return complete_file(f"{repository.db_id}-{elements_name}-{date}", format, write)


def _shown_file(admin: ListedAdmin, request: HttpRequest, elements: QuerySet[Any], format: Format) -> FileResponse:
    """Return the file of the `elements` with the columns of the list, texts in full. Raises TableTooLarge."""
    columns = admin.columns_of(request)
    rows = (
        [element.element_id, *((column.text or column.display.text)(element) for column in columns)]
        for element in elements.iterator(chunk_size=_TOGETHER)
    )
    with override("en"):  # the names of files are the same for everybody
        name = f"{admin.opts.verbose_name_plural}-list-{timezone.now():%Y-%m-%d}"
    return table_file(name, format, [gettext("Id"), *(column.heading for column in columns)], rows)


def _export_list(admin: ListedAdmin, request: HttpRequest) -> HttpResponseBase:
    """Return the page for all elements of the list with the query of this URL."""
    address = admin.route_with_query(request, "changelist")
    elements = admin.rows_of_list(request)
    if elements is None:
        return redirect(address)
    return _export_page(admin, request, elements, address, selection(request, is_all=True)) or redirect(address)


EXPORT_BUTTON = action(_export_list, description=cast(str, _("Export")), permissions=["view"], icon="download")
