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
from bulkops.files.formats.table import FORMATS, element_writer, table_writer
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
from dimensions_site.elements.reading.table_rows import csv_table, value_rows
from dimensions_site.elements.reading.tables import TooManyColumns, columns_of
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number, shortened

Progress = Callable[[int], object]
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


def export(
    elements: QuerySet[Any],
    wire: Wire,
    repository: Repository,
    *,
    paths: Sequence[str],
    shape: FileShape,
    file: BinaryIO,
    progress: Progress,
    max_columns: int | None = None,
    labels: bool = False,
) -> int:
    """Write the `paths` (see `chosen_paths`) of `elements` of the `repository`; return the number of elements.

    With `labels`, a table has the names of fields and values for people, in the language of the thread, instead of
    those of the wire. `progress` receives the number written so far now and then. Memory is constant. Raises
    TableTooLarge, also for a table with more than `max_columns`.
    """
    count = 0
    language = repository.default_language
    with closing(_written(elements, wire, language, paths, shape, file, max_columns, labels=labels)) as written:
        for count in written:
            if count % _REPORTED == 0:
                progress(count)
    progress(count)
    return count


def _written(
    elements: QuerySet[Any],
    wire: Wire,
    language: str,
    paths: Sequence[str],
    shape: FileShape,
    file: BinaryIO,
    max_columns: int | None,
    *,
    labels: bool,
) -> Generator[int]:
    """Write the file, and yield the number of elements written after each."""

    def columns() -> list[NamedField]:
        try:
            return columns_of(wire, paths, language, elements, maximum=max_columns)
        except TooManyColumns as error:
            message = _("A table can have {maximum} columns, but these elements need more. Choose JSON.")
            raise TableTooLarge(message.format(maximum=grouped_number(error.maximum))) from None

    if FORMATS[shape.format].write_texts is None or (labels and shape.format.is_table):
        yield from _table_written(elements, columns(), shape, file, labels=labels)
        return
    lines = element_writer(shape, file)
    if shape.format.is_table:
        headings, texts = csv_table(columns(), elements)
        lines.text(headings)
    else:
        texts = Renderer(selected_plan(wire, paths, language, as_stored=True)).each(elements)
    with closing(texts):
        for count, text in enumerate(texts, start=1):
            lines.text(text)
            yield count
    lines.close()


def _table_written(
    elements: QuerySet[Any], columns: Sequence[NamedField], shape: FileShape, file: BinaryIO, *, labels: bool
) -> Generator[int]:
    format = FORMATS[shape.format]
    if format.max_columns is not None and len(columns) > format.max_columns:
        message = _("A workbook can have {maximum} columns, but there are {count}. Choose CSV.")
        raise TableTooLarge(
            message.format(maximum=grouped_number(format.max_columns), count=grouped_number(len(columns)))
        )
    table = table_writer(shape, file)
    choices = [column.choices for column in columns]
    allowed = [[words if labels else value for value, words in found.items()] or None for found in choices]
    table.headings((column.heading if labels else column.path for column in columns), allowed)
    cell = typed_cell if format.has_types else untyped_cell
    in_words: list[tuple[int, Mapping[Any, Any]]] = [
        (position, {cell(value): words for value, words in found.items()})
        for position, found in enumerate(choices)
        if labels and found
    ]
    for count, row in enumerate(value_rows(columns, cell, elements), start=1):
        for position, words in in_words:
            row[position] = words.get(row[position], row[position])
        table.row(row)
        yield count
    table.close()
