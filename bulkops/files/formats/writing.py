"""Write files of elements in a given shape, row by row and with constant memory."""

import csv
import gzip
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, cast

from bulkops.files.formats.rows import FileShape

if TYPE_CHECKING:
    from bulkops.files.workbooks.package import AllowedValues

CellValue = str | int | bool | None


class _BinaryFile:
    """Writes `stream` into `file`, compressed if the format says so; `close` ends the data and leaves the file open."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        self._gzip = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) if shape.gzipped else None
        self.stream: BinaryIO = cast(BinaryIO, self._gzip) if self._gzip else file

    def close(self) -> None:
        if self._gzip:
            self._gzip.close()


class _TextFile(_BinaryFile):
    """Text in the encoding of the shape; characters that it lacks are written as visible escapes."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        super().__init__(shape, file)
        self.text_stream = io.TextIOWrapper(self.stream, shape.encoding, errors="backslashreplace", newline="")

    def close(self) -> None:
        self.text_stream.detach()
        super().close()


class CsvFile(_TextFile):
    """A table in CSV: `headings` first, then each `row`; None is an empty cell. It has no lists of allowed values."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        super().__init__(shape, file)
        self._writer = csv.writer(self.text_stream, delimiter=shape.delimiter, lineterminator="\r\n")

    def headings(self, names: Iterable[str], allowed: "Sequence[AllowedValues]" = ()) -> None:
        self._writer.writerow(names)

    def row(self, values: Iterable[CellValue]) -> None:
        # Nothing is written for None.
        self._writer.writerow(str(value).lower() if isinstance(value, bool) else value for value in values)


class WorkbookFile(_BinaryFile):
    """A workbook with one sheet, written like a table in CSV. Raises TableTooLarge."""

    def __init__(self, shape: FileShape, file: BinaryIO) -> None:
        super().__init__(shape, file)
        # Imported here, so that a process that reads a table in CSV does not load openpyxl.
        from bulkops.files.workbooks.writing import WorkbookWriter  # noqa: PLC0415

        self._workbook = WorkbookWriter(self.stream)
        self.headings = self._workbook.headings
        self.row = self._workbook.row

    def close(self) -> None:
        self._workbook.close()
        super().close()


class LinesFile(_TextFile):
    """One `text` per line: elements in NDJSON, or the headings and rows of CSV."""

    def __init__(self, shape: FileShape, file: BinaryIO, end: str = "\n") -> None:
        super().__init__(shape, file)
        self._end = end

    def text(self, json_text: str) -> None:
        self.text_stream.write(json_text + self._end)


class ArrayFile(_TextFile):
    """A JSON array of elements, one `text` each."""

    _before = "[\n"

    def text(self, json_text: str) -> None:
        self.text_stream.write(self._before + json_text)
        self._before = ",\n"

    def close(self) -> None:
        self.text_stream.write("[]\n" if self._before == "[\n" else "\n]\n")
        super().close()


TableWriter: TypeAlias = CsvFile | WorkbookFile
ElementWriter: TypeAlias = LinesFile | ArrayFile
