"""The shared texts of a workbook; Excel stores each of them once."""

import os
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.rows import UnreadableFile
from bulkops.files.formats.tables import MAX_CELL_CHARACTERS
from bulkops.files.workbooks.xml import TextCollector, damaged, read_xml
from dimensions_site.text.formats import grouped

# Only the positions of the texts are in memory.
MAX_SHARED_TEXTS = 2_000_000
_TOO_MANY = _("The workbook has more than {maximum} different texts. Save the table as 'CSV UTF-8' and load that.")


class SharedTexts:
    """The texts by number, in a temporary file: a workbook may have as many of them as cells."""

    def __init__(self, file: IO[bytes], ends: "array[int]") -> None:
        self._descriptor = file.fileno()
        self._ends = ends

    def text(self, number: int) -> str:
        """Return the text of that number. Raises UnreadableFile for an unknown one."""
        if not 0 <= number < len(self._ends):
            raise damaged()
        start = self._ends[number - 1] if number else 0
        return os.pread(self._descriptor, self._ends[number] - start, start).decode()


@contextmanager
def shared_texts(part: IO[bytes] | None) -> Iterator[SharedTexts]:
    """Yield the texts of the part `sharedStrings.xml`, as stored; `None` stands for a workbook without it."""
    with TemporaryFile() as file:
        ends = array("Q")
        if part is not None:
            with part:
                _copy(part, file, ends)
        file.flush()
        yield SharedTexts(file, ends)


def _copy(part: IO[bytes], file: IO[bytes], ends: "array[int]") -> None:
    collector = TextCollector({"t"}, MAX_CELL_CHARACTERS)
    size = 0

    def end(name: str) -> None:
        nonlocal size
        collector.end(name)
        if name == "si":
            size += file.write(collector.take().get("t", "").encode())
            ends.append(size)
            if len(ends) > MAX_SHARED_TEXTS:
                raise UnreadableFile(1, _TOO_MANY.format(maximum=grouped(MAX_SHARED_TEXTS)))

    for _piece in read_xml(part, lambda name, _attributes: collector.start(name), end, collector.add):
        pass
