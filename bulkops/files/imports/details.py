"""The errors of an import for the person who corrects them: by kind, and row by row."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from bulkops.files.formats.rows import RowFailure
from bulkops.files.imports.records import Record
from dimensions_site.api.json.texts import shown_value
from dimensions_site.text.formats import shortened

# The limits of what is kept; all errors are counted nevertheless.
MAX_KINDS = 200
MAX_ROWS = 500
_EXAMPLES = 5
_ELLIPSIS = "…"


@dataclass
class ErrorKind:
    """The errors with one cause in one column: the message without the value, the first values and the first lines."""

    heading: str
    message: str
    count: int = 0
    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass
class RowErrors:
    """A row with errors: the texts of its cells by heading, empty if they could not be read."""

    line: int
    cells: Mapping[str, str]
    failures: list[RowFailure]


@dataclass
class ErrorDetails:
    """The errors of an import by kind, the most frequent first, and the first rows with errors."""

    kinds: list[ErrorKind] = field(default_factory=list)
    rows: list[RowErrors] = field(default_factory=list)


def details_of(errors: Iterable[tuple[int, RowFailure]], record: Callable[[int], Record | None]) -> ErrorDetails:
    """Return the details of `errors`, ordered by the position of their rows; `record` returns the row at a position."""
    kinds: dict[tuple[str, str, str], ErrorKind] = {}
    details = ErrorDetails()
    for position, group in groupby(errors, key=itemgetter(0)):
        failures = [failure for _, failure in group]
        row = record(position)
        cells = row.cells if row is not None and isinstance(row.cells, Mapping) else {}
        if row is not None and len(details.rows) < MAX_ROWS:
            details.rows.append(RowErrors(row.line, cells, failures))
        for found in failures:
            path = found.failure.path
            text = cells.get(path)
            message = _without_value(found.failure.message, text)
            # Numbers of other lines differ, too.
            key = (path, found.failure.code, re.sub(r"\d+", "0", message))
            if key not in kinds and len(kinds) >= MAX_KINDS:
                continue
            kind = kinds.setdefault(key, ErrorKind(path, message))
            kind.count += 1
            if len(kind.lines) < _EXAMPLES and found.line not in kind.lines:
                kind.lines.append(found.line)
            if text and len(kind.texts) < _EXAMPLES and shortened(text) not in kind.texts:
                kind.texts.append(shortened(text))
    details.kinds = sorted(kinds.values(), key=lambda kind: -kind.count)
    return details


def _without_value(message: str, cell: str | None) -> str:
    """Return the message with an ellipsis for the text of the `cell`."""
    for text in () if cell is None else {cell, cell.strip()}:
        message = message.replace(shown_value(text), _ELLIPSIS).replace(f"'{shortened(text)}'", f"'{_ELLIPSIS}'")
    return message.replace(f"{_ELLIPSIS}.", _ELLIPSIS)
