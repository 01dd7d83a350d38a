"""The file of rejected rows: in the shape of the file that was imported, to be mended and imported again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import msgspec

from bulkops.formats.reading import Source
from bulkops.formats.rows import REASON, RowFailure
from bulkops.formats.writing import element_writer, table_writer
from bulkops.imports.reading import Record

# A row that is rejected, and what is wrong with it.
Rejected = tuple[Record, Sequence[RowFailure]]

_encode = msgspec.json.Encoder(decimal_format="number").encode


class RejectsWriter:
    """Writes the rejected rows of one import into the binary `file`, which stays open."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, source: Source, rejected: Iterator[Rejected]) -> None:
        """Write the `rejected` rows of the file `source`, each with its reason. Raises OSError."""
        if source.headings is None:
            self._write_elements(source, rejected)
        else:
            self._write_table(source, source.headings, rejected)
        self._file.flush()

    def _write_table(self, source: Source, headings: Sequence[str], rejected: Iterator[Rejected]) -> None:
        columns = headings if REASON in headings else [*headings, REASON]
        table = table_writer(source.shape, self._file)
        table.headings(columns)
        for record, failures in rejected:
            if isinstance(record.cells, Mapping):
                cells = {**record.cells, REASON: _reason(failures)}
                table.row(cells[heading] for heading in columns)
            else:
                table.row(_unread(record.cells, len(columns), _reason(failures), is_told=REASON in headings))
        table.close()

    def _write_elements(self, source: Source, rejected: Iterator[Rejected]) -> None:
        elements = element_writer(source.shape, self._file)
        for record, failures in rejected:
            elements.text(_json_text({**record.changes, REASON: _reason(failures)}))
        elements.close()


def _unread(cells: Sequence[str], width: int, reason: str, *, is_told: bool) -> Sequence[str]:
    """The cells of a row that could not be read, with the reason behind all columns.

    So the row is refused until it is mended: under the headings its cells could be taken for what they are not. When
    it `is_told` there already, because the row was rejected before, it is not told again.
    """
    behind = is_told and any(cells[width:])
    return cells if behind else [*cells, *[""] * (width - len(cells)), reason]


def _reason(failures: Sequence[RowFailure]) -> str:
    """What is wrong with one row, without the line, which is another one in the file of rejected rows."""
    named = ((found.failure.path, found.failure.message) for found in failures)
    return " | ".join(f"{path}: {message}" if path else message for path, message in named)


def _json_text(element: Mapping[str, Any]) -> str:
    try:
        return _encode(element).decode()
    except OverflowError:
        # An integer of more than 64 bits is right nowhere, but it was in the file.
        return json.dumps(element, ensure_ascii=False, default=str)
