"""What differs between elements, as the pages' table of differences and the workbooks show it (contract J2)."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import takewhile
from tempfile import TemporaryFile
from typing import BinaryIO

from django.http import FileResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import FileShape
from bulkops.files.formats.table import FORMATS, table_writer
from dimensions_site.elements.models import Change
from dimensions_site.elements.reading.cells import cell_for_reading
from dimensions_site.elements.writing.differences import Difference
from dimensions_site.elements.writing.restoring import ShownVersion
from dimensions_site.text.files import Format
from dimensions_site.text.formats import shortened

# How many values of an element a page shows, and how many characters of each.
_VALUES, _CHARACTERS = 60, 200
CHANGE_OF_ACTION = {change.action: change for change in Change}
BADGES = {Change.CREATED: "is-good", Change.CHANGED: "is-waiting", Change.DELETED: "is-bad"}
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass
class ShownDifference:
    """An element that differs, in words; one that was created or deleted comes with all of its values, in `after`.

    A page shows the beginning of the first values, and how many `more` there are: the largest elements have 200 KB
    each. `label` says what happened, or on which side it is; `note` what the values cannot show; `about` when and why
    it was changed, and by whom.
    """

    id: str
    change: Change
    description: str
    differences: list[Difference]
    address: str = ""
    label: str = ""
    note: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        self.label = self.label or str(self.change.label)
        self.description = shortened(self.description, _CHARACTERS)
        self.more = max(0, len(self.differences) - _VALUES)
        self.differences = [
            replace(one, before=shortened(one.before, _CHARACTERS), after=shortened(one.after, _CHARACTERS))
            for one in self.differences[:_VALUES]
        ]

    @property
    def is_change(self) -> bool:
        return self.change == Change.CHANGED and not self.note

    @property
    def badge(self) -> str:
        return BADGES[self.change]

    def rows(self) -> Iterator[Difference]:
        """Return the rows of the table, of an element that was changed."""
        return with_marks(self.differences)


def of_version(version: ShownVersion, description: str, address: str) -> ShownDifference:
    """Return what a version has changed."""
    note = _("Earlier versions have been removed. This is the state after the change.")
    return ShownDifference(
        version.row.element_id,
        Change(version.row.change),
        description,
        list(version.differences),
        address,
        note=note if version.is_cut_off else "",
    )


def values_of(change: Change, differences: list[Difference]) -> list[Difference]:
    """Return the differences with the values of a deleted element where those of a new one are."""
    if change != Change.DELETED:
        return differences
    return [replace(one, before=one.after, after=one.before) for one in differences]


def with_marks(differences: Iterable[Difference]) -> Iterator[Difference]:
    """Yield the `differences` with the words that differ marked."""
    for one in differences:
        before, after = marked(one.before, one.after)
        yield replace(one, before=before, after=after)


def marked(before: str, after: str) -> tuple[SafeString, SafeString]:
    """Return both texts, marked as deleted and inserted from the first word that differs to the last."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    first = shared_beginning(old, new)
    last = min(shared_beginning(old[::-1], new[::-1]), min(len(old), len(new)) - first)
    return _with_mark("{}<del>{}</del>{}", old, first, last), _with_mark("{}<ins>{}</ins>{}", new, first, last)


def shared_beginning(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words, or characters, are equal from the beginning."""
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _with_mark(html: str, words: list[str], first: int, last: int) -> SafeString:
    end = len(words) - last
    parts = ["".join(part) for part in (words[:first], words[first:end], words[end:])]
    return format_html(html if parts[1] else "{}{}{}", *parts)


def table_file(
    name: str, format: Format, headings: Iterable[str], rows: Iterable[Iterable[str | int | None]]
) -> FileResponse:
    """Return a file of this `name` with these rows. Raises TableTooLarge."""

    def write(file: BinaryIO, shape: FileShape) -> None:
        with closing(table_writer(shape, file)) as written:
            written.headings(headings)
            for row in rows:
                written.row(row if FORMATS[format].has_types else map(cell_for_reading, row))

    return complete_file(name, format, write)


def complete_file(name: str, format: Format, write: Callable[[BinaryIO, FileShape], None]) -> FileResponse:
    """Return a file of this `name` that is complete before it is sent, so that nobody takes a part of it for all; it is
    written to the disk with constant memory. Raises as `write` does.
    """
    with ExitStack() as stack:
        file = stack.enter_context(TemporaryFile())
        write(file, FileShape(format, FORMATS[format].encoding))
        file.seek(0)
        stack.pop_all()
    return FileResponse(file, as_attachment=True, filename=f"{name}.{format}", content_type=format.content_type)


def workbook_of(
    rows: Iterable[tuple[str, str, list[Difference]]], name: str, labels: Mapping[str, object]
) -> FileResponse:
    """Return the workbook of elements: the id, what happened to it by `labels`, and the values that differ.

    Raises TableTooLarge.
    """
    headings = [_("Id"), _("Action"), _("Field"), _("Before"), _("After"), _("Path")]
    found = (
        [id, str(labels[action]), one.heading, one.before, one.after, one.path]
        for id, action, changes in rows
        for one in changes
    )
    return table_file(name, Format.XLSX, headings, found)
