"""Exporting elements to a file: one engine for every command and page that exports.

What is exported can be imported again, and then changes nothing (contract H4).
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, BinaryIO

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from bulkops.formats.rows import Format, Shape
from bulkops.formats.sheet_reading import MAX_COLUMNS
from bulkops.formats.workbook_writing import TableTooLarge
from bulkops.formats.writing import ElementWriter, csv_line_writer, element_writer, table_writer
from dimensions_site.api.errors import Failure, quoted
from dimensions_site.elements.cells import typed_cell
from dimensions_site.elements.maps import LanguageMapField, language_expected
from dimensions_site.elements.rendering import CHUNK_ROWS, Renderer
from dimensions_site.elements.selection import (
    DEFAULT_DESCRIPTION,
    DESCRIPTIONS,
    WHOLE_MAP,
    everything,
    select,
    stored_plan,
)
from dimensions_site.elements.table_rows import TableRenderer, csv_table, rows_of
from dimensions_site.elements.tables import Column, columns_of
from dimensions_site.elements.wire import Wire
from dimensions_site.formats import grouped
from dimensions_site.repositories.models import Repository

Progress = Callable[[int], object]


def chosen_paths(
    wire: Wire, repository: Repository, properties: str | None, languages: str | None
) -> tuple[list[str], list[Failure]]:
    """The canonical paths of what a file shall hold, and what is wrong with the texts that choose it.

    `properties` are comma-separated wire paths as in a fetch (None: everything), but `descriptions` are all languages;
    of these only the comma-separated `languages` are taken (None: all), unless a path names one.
    """
    if properties is None:
        paths: list[str] = everything(wire)
        failures: list[Failure] = []
    else:
        names = (name.strip() for name in properties.split(","))
        paths, failures = select(
            wire, ",".join(f"{name}.{WHOLE_MAP}" if name == DESCRIPTIONS else name for name in names)
        )
    default = f"{DESCRIPTIONS}.{repository.default_language}"
    paths = [default if path == DEFAULT_DESCRIPTION else path for path in paths]
    if languages is None:
        return paths, failures
    wanted = [language.strip() for language in languages.split(",")]
    failures += [
        Failure(
            "languages",
            "INVALID_VALUE",
            _("{language} is no language; {expected}.").format(language=quoted(language), expected=language_expected()),
        )
        for language in wanted
        if wire.find_entry(f"{DESCRIPTIONS}.{language}") is None
    ]
    return list(chain.from_iterable(_in_languages(wire, path, wanted) for path in paths)), failures


def _in_languages(wire: Wire, path: str, languages: Sequence[str]) -> Iterable[str]:
    group, _, key = path.partition(".")
    place = wire.places.get(group)
    if place is None or not isinstance(place.leaf, LanguageMapField) or key not in ("", WHOLE_MAP):
        return [path]
    return [f"{group}.{language}" for language in languages]


def export(
    elements: QuerySet[Any],
    wire: Wire,
    repository: Repository,
    *,
    paths: Sequence[str],
    shape: Shape,
    file: BinaryIO,
    progress: Progress,
) -> int:
    """Write what `paths` (see `chosen_paths`) select of the `elements` of the `repository`; return their number.

    `progress` is told now and then how many are written. Memory is flat whatever their number. Raises TableTooLarge.
    """
    count = 0
    with closing(_written(elements, wire, repository.default_language, paths, shape, file)) as written:
        for count in written:
            if count % CHUNK_ROWS == 0:
                progress(count)
    progress(count)
    return count


def _written(
    elements: QuerySet[Any], wire: Wire, language: str, paths: Sequence[str], shape: Shape, file: BinaryIO
) -> Generator[int]:
    """Write the file, and yield after each element how many are written."""
    if shape.format is Format.XLSX:
        yield from _workbook_written(elements, columns_of(wire, paths, language, elements), shape, file)
        return
    if shape.format is Format.CSV:
        headings, texts = csv_table(columns_of(wire, paths, language, elements), elements)
        lines: ElementWriter = csv_line_writer(shape, file)
        lines.text(headings)
    else:
        texts = Renderer(stored_plan(wire, paths, language)).each(elements)
        lines = element_writer(shape, file)
    with closing(texts):
        for count, text in enumerate(texts, start=1):
            lines.text(text)
            yield count
    lines.close()


def _workbook_written(
    elements: QuerySet[Any], columns: Sequence[Column], shape: Shape, file: BinaryIO
) -> Generator[int]:
    if len(columns) > MAX_COLUMNS:
        message = _("A workbook can have {maximum} columns, and these are {count}. Choose CSV.")
        raise TableTooLarge(message.format(maximum=grouped(MAX_COLUMNS), count=grouped(len(columns))))
    table = table_writer(shape, file)
    table.headings(column.heading for column in columns)
    for count, row in enumerate(TableRenderer(columns, rows_of(typed_cell)).each(elements), start=1):
        table.row(row)
        yield count
    table.close()
