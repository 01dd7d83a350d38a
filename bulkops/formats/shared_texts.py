"""The texts that the cells of a workbook share; Excel stores each of them once."""

import os
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

from bulkops.formats.tables import MAX_CELL_CHARACTERS
from bulkops.formats.xml_reading import damaged, read_xml

# Short texts come again and again: words of a list, TRUE and FALSE.
_KEPT = 4_096
_KEPT_CHARACTERS = 256


class SharedTexts:
    """The texts by number. They are in a temporary file: a workbook may have as many of them as cells."""

    def __init__(self, file: IO[bytes], ends: "array[int]") -> None:
        self._descriptor = file.fileno()
        self._ends = ends
        self._kept: dict[int, str] = {}

    def text(self, number: int) -> str:
        """The text of that number. Raises UnreadableFile when there is none."""
        kept = self._kept.get(number)
        return self._read(number) if kept is None else kept

    def _read(self, number: int) -> str:
        if not 0 <= number < len(self._ends):
            raise damaged()
        start = self._ends[number - 1] if number else 0
        text = os.pread(self._descriptor, self._ends[number] - start, start).decode()
        if len(text) <= _KEPT_CHARACTERS:
            if len(self._kept) == _KEPT:
                self._kept.clear()
            self._kept[number] = text
        return text


@contextmanager
def shared_texts(part: IO[bytes] | None) -> Iterator[SharedTexts]:
    """The texts of the part `sharedStrings.xml`, as they are stored; `None` is a workbook without such a part."""
    with TemporaryFile() as file:
        ends = array("Q")
        if part is not None:
            with part:
                _copy(part, file, ends)
        file.flush()
        yield SharedTexts(file, ends)


def _copy(part: IO[bytes], file: IO[bytes], ends: "array[int]") -> None:
    collector = TextCollector()

    def start(name: str, _attributes: dict[str, str]) -> None:
        collector.start(name)

    def end(name: str) -> None:
        collector.end(name)
        if name == "si":
            file.write(collector.take().encode())
            ends.append(file.tell())

    for _ in read_xml(part, start, end, collector.add):
        pass


class TextCollector:
    """Collects the text of a cell from its `t` elements; how to pronounce it (`rPh`) is no part of it.

    Of a text that is too long for a cell, a little more than that is kept, so that it is seen to be too long.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._collects = False
        self._is_pronunciation = False

    def start(self, name: str) -> None:
        """An element begins."""
        if name == "rPh":
            self._is_pronunciation = True
        self._collects = name == "t" and not self._is_pronunciation

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "rPh":
            self._is_pronunciation = False
        self._collects = False

    def add(self, text: str) -> None:
        """Take what stands in the element."""
        if self._collects and self._length <= MAX_CELL_CHARACTERS:
            self._pieces.append(text)
            self._length += len(text)

    def take(self) -> str:
        """The text that has been collected; the next one begins."""
        text = "".join(self._pieces)[: MAX_CELL_CHARACTERS + 1]
        self._pieces.clear()
        self._length = 0
        return text
