"""Files as people have them, and what is read from them."""

import gzip
import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from openpyxl import Workbook
from openpyxl.xml.constants import REL_NS, SHEET_MAIN_NS

from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import ElementRow, FileRow, FileShape, ReadingOptions, RowFailure, UnreadableFile
from dimensions_site.api.failures import Failure
from dimensions_site.text.files import Format

SHEET = "xl/worksheets/sheet1.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"
_INLINE = re.compile(rb'(<c [^>]*) t="inlineStr"><is>(.*?)</is></c>', re.DOTALL)


@dataclass
class Outcome:
    """The result of reading a file; `refusal` is the sentence that ended it."""

    shape: FileShape | None = None
    headings: list[str] | None = None
    rows: list[FileRow] = field(default_factory=list)
    elements: list[ElementRow] = field(default_factory=list)
    failures: list[RowFailure] = field(default_factory=list)
    refusal: str | None = None

    @property
    def cells(self) -> list[dict[str, str]]:
        """The texts of the rows without errors."""
        return [dict(row.cells) for row in self.rows if not row.errors]

    @property
    def lines(self) -> list[int]:
        return [row.line for row in self.rows] + [row.line for row in self.elements]

    @property
    def messages(self) -> list[str]:
        cells = [
            RowFailure(row.line, Failure(heading, "INVALID_ROW", message))
            for row in self.rows
            for heading, message in row.errors.items()
        ]
        return [str(failure) for failure in sorted([*self.failures, *cells], key=lambda failure: failure.line)]


def read(content: bytes, format: Format | None = None, **options: Any) -> Outcome:
    """Read a file with that content to its end, with these options of reading."""
    outcome = Outcome()
    kinds: Mapping[type, list[Any]] = {
        FileRow: outcome.rows,
        ElementRow: outcome.elements,
        RowFailure: outcome.failures,
    }
    with tempfile.TemporaryFile() as file:
        file.write(content)
        try:
            with open_source(file, ReadingOptions(format, **options)) as source:
                outcome.shape = source.shape
                outcome.headings = None if source.headings is None else list(source.headings)
                for row in source.rows():
                    kinds[type(row)].append(row)
                assert source.progress() == 1
        except UnreadableFile as error:
            outcome.refusal = str(error.failure)
        assert not file.closed
    return outcome


def workbook(*rows: list[Any], change: Callable[[Workbook], object] | None = None) -> bytes:
    """A workbook that openpyxl makes of the rows, after somebody has changed it."""
    book = Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    if change is not None:
        change(book)
    return saved(book)


def saved(book: Workbook) -> bytes:
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def with_parts(content: bytes, parts: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """The archive with some of its parts changed; a missing part is created."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as target:
        names = dict.fromkeys([*source.namelist(), *parts])
        for name in names:
            part = source.read(name) if name in source.namelist() else b""
            target.writestr(name, parts[name](part) if name in parts else part)
    return changed.getvalue()


def as_excel_saves(content: bytes) -> bytes:
    """The workbook of openpyxl with its texts where Excel has them: in a separate part, each once."""
    texts: dict[bytes, int] = {}

    def shared(cell: re.Match[bytes]) -> bytes:
        number = texts.setdefault(cell[2], len(texts))
        return b'%s t="s"><v>%d</v></c>' % (cell[1], number)

    content = with_parts(content, {SHEET: lambda sheet: _INLINE.sub(shared, sheet)})
    table = b"".join(b"<si>%s</si>" % text for text in texts)
    relation = f'<Relationship Type="{REL_NS}/sharedStrings" Target="sharedStrings.xml" Id="rId99"/></Relationships>'
    return with_parts(
        content,
        {
            RELATIONS: lambda part: part.replace(b"</Relationships>", relation.encode()),
            STRINGS: lambda _part: b'<sst xmlns="%s">%s</sst>' % (SHEET_MAIN_NS.encode(), table),
        },
    )


def archive(compression: int = zipfile.ZIP_DEFLATED, /, **parts: bytes) -> bytes:
    """A zip archive that is not a workbook."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as target:
        for name, part in parts.items():
            target.writestr(name, part)
    return content.getvalue()


def zeros_in_gzip(size: int) -> bytes:
    """Many zeros, compressed."""
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb") as target:
        for _ in range(size // 1024**2):
            target.write(bytes(1024**2))
    return content.getvalue()


def slow_workbook(texts: int) -> bytes:
    """A workbook with that many shared texts, which are read before its first row."""
    part = b"<sst>%s</sst>" % (b"<si><t>a</t></si>" * texts)
    return with_parts(as_excel_saves(workbook(["id"], ["a"])), {STRINGS: lambda _part: part})


def huge_element(size: int) -> bytes:
    """One element of about that size, which takes some twenty times as much when it is read."""
    return b'{"id": [%s{}]}\n' % (b"{}," * (size // 3))
