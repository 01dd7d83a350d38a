"""Export elements to a file: one engine for every command and page.

Importing an exported file changes nothing (contract H4).
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, BinaryIO

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from bulkops.files.formats.rows import FileShape
from bulkops.files.formats.table import FORMATS, ElementWriter, FileFormat, TableWriter, element_writer, table_writer
from bulkops.files.workbooks.writing import TableTooLarge
from dimensions_site.api.errors import Failure
from dimensions_site.elements.declaration.maps import language_expected
from dimensions_site.elements.declaration.wire import NamedField, Wire
from dimensions_site.elements.reading.cells import typed_cell, untyped_cell
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.elements.reading.selection import (
    DEFAULT_DESCRIPTION,
    DESCRIPTIONS,
    WHOLE_MAP,
    everything,
    select,
    selected_plan,
)
from dimensions_site.elements.reading.statements import read_texts
from dimensions_site.elements.reading.table_rows import value_rows
from dimensions_site.elements.reading.tables import TooManyColumns, table_columns
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number, shortened

WritingProgress = Callable[[int], object]
# Elements between two progress reports.
_REPORTED = 200


def chosen_paths(
    wire: Wire, repository: Repository, properties: str | None, languages: str | None
) -> tuple[list[str], list[Failure]]:
    """Return the canonical paths of the file's content, and the errors in the parameters that select it.

    `properties` are comma-separated wire paths as in a fetch (None: everything), but `descriptions` includes all
    languages, or the comma-separated `languages` if given, unless a path names one.
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
            _("'{language}' is not {expected}.").format(language=shortened(language), expected=language_expected()),
        )
        for language in wanted
        if wire.find_entry(f"{DESCRIPTIONS}.{language}") is None
    ]
    return list(chain.from_iterable(_in_languages(wire, path, wanted) for path in paths)), failures


def _in_languages(wire: Wire, path: str, languages: Sequence[str]) -> Iterable[str]:
    group, _, key = path.partition(".")
    place = wire.places.get(group)
    if place is None or not place.leaf.has_languages or key not in ("", WHOLE_MAP):
        return [path]
    return [f"{group}.{language}" for language in languages]


def write_export(
    elements: QuerySet[Any],
    wire: Wire,
    repository: Repository,
    *,
    paths: Sequence[str],
    shape: FileShape,
    file: BinaryIO,
    progress: WritingProgress,
    max_columns: int | None = None,
    labels: bool = False,
) -> int:
    """Write the `paths` (see `chosen_paths`) of `elements` of the `repository`; return the number of elements.

    With `labels`, a table has the names of fields and values for people, in the language of the thread, instead of
    those of the wire. `progress` receives the number written so far now and then. Memory is constant. Raises
    TableTooLarge, also for a table with more than `max_columns`.
    """
    format, language = FORMATS[shape.format], repository.default_language

    writer: TableWriter | ElementWriter
    write: Callable[[Any], None]
    rows: Generator[Any]
    if shape.format.is_table:
        try:
            found = table_columns(wire, paths, language, elements, maximum=max_columns)
        except TooManyColumns as error:
            message = _("A table can have {maximum} columns, and more are needed here. Choose JSON.")
            raise TableTooLarge(message.format(maximum=grouped_number(error.maximum))) from None
        _check_width(found, format)
        writer = table_writer(shape, file)
        choices = [[words if labels else value for value, words in column.choices.items()] or None for column in found]
        writer.headings((column.heading if labels else column.path for column in found), choices)
        write, rows = writer.row, _rows(found, format, elements, labels=labels)
    else:
        writer = element_writer(shape, file)
        write, rows = writer.text, read_texts(Renderer(selected_plan(wire, paths, language, as_stored=True)), elements)
    count = _write_all(rows, write, progress)
    writer.close()
    progress(count)
    return count


def _write_all(rows: Generator[Any], write: Callable[[Any], None], progress: WritingProgress) -> int:
    count = 0
    with closing(rows):
        for count, row in enumerate(rows, start=1):
            write(row)
            if count % _REPORTED == 0:
                progress(count)
    return count


def _check_width(columns: Sequence[NamedField], format: FileFormat) -> None:
    if format.max_columns is not None and len(columns) > format.max_columns:
        message = _("A workbook can have {maximum} columns, but there are {count}. Choose CSV.")
        raise TableTooLarge(
            message.format(maximum=grouped_number(format.max_columns), count=grouped_number(len(columns)))
        )


def _rows(
    columns: Sequence[NamedField], format: FileFormat, elements: QuerySet[Any], *, labels: bool
) -> Generator[list[Any]]:
    cell = typed_cell if format.has_types else untyped_cell
    in_words: list[tuple[int, Mapping[Any, Any]]] = [
        (position, {cell(value): words for value, words in column.choices.items()})
        for position, column in enumerate(columns)
        if labels and column.choices
    ]
    for row in value_rows(columns, cell, elements):
        for position, words in in_words:
            row[position] = words.get(row[position], row[position])
        yield row
