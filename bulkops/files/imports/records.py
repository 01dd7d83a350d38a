"""The rows of a file that wait to be saved, and the file of those that are rejected."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, cast

from bulkops.files.formats.reading import Source
from bulkops.files.formats.rows import REASON
from bulkops.files.formats.table import element_writer, table_writer
from bulkops.session.items import Item
from dimensions_site.api.failures import Failure
from dimensions_site.api.json.reader import read_json
from dimensions_site.api.json.texts import exact_json


class Record(Item, kw_only=True, array_like=True):
    """A row on its `line` of the file.

    `cells` are those of a table by heading, or in their order if the row could not be read.
    """

    text: bytes
    line: int
    cells: Mapping[str, str] | Sequence[str] = ()


# A rejected row and its errors.
Rejected = tuple[Record, Sequence[Failure]]


def write_rejects(file: BinaryIO, source: Source, rejected: Iterator[Rejected]) -> None:
    """Write the `rejected` rows of `source`, each with its errors, into the binary `file`, which stays open.

    It has the shape of the source, to be corrected and imported again. Raises OSError.
    """
    if source.headings is None:
        elements = element_writer(source.shape, file)
        for record, failures in rejected:
            element = cast(dict[str, Any], read_json(record.text))
            elements.text(exact_json({**element, REASON: _reason(failures)}).decode())
        elements.close()
    else:
        _write_table(file, source, source.headings, rejected)
    file.flush()


def _write_table(file: BinaryIO, source: Source, headings: Sequence[str], rejected: Iterator[Rejected]) -> None:
    columns = headings if REASON in headings else [*headings, REASON]
    table = table_writer(source.shape, file)
    table.headings(source.found.written.get(heading, heading) for heading in columns)
    for record, failures in rejected:
        texts = record.cells
        if record.is_checkable and isinstance(texts, Mapping):
            cells = {**texts, REASON: _reason(failures)}
            table.row(cells[heading] for heading in columns)
        else:
            texts = list(texts.values()) if isinstance(texts, Mapping) else texts
            table.row(_unread(texts, len(columns), _reason(failures), is_noted=REASON in headings))
    table.close()


def _unread(cells: Sequence[str], width: int, reason: str, *, is_noted: bool) -> Sequence[str]:
    """Return the cells of an unreadable row, with the error behind all columns.

    So the row is rejected until it is corrected: under the headings, its cells could be misread. If the error
    `is_noted` already, because the row was rejected before, it is not added again.
    """
    behind = is_noted and any(cells[width:])
    return cells if behind else [*cells, *[""] * (width - len(cells)), reason]


def _reason(failures: Sequence[Failure]) -> str:
    """Return the errors of one row without line numbers, which differ in the file of rejected rows."""
    return " | ".join(f"{found.path}: {found.message}" if found.path else found.message for found in failures)
