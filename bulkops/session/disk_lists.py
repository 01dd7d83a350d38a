"""Lists on disk, so that what an import remembers of a large file costs no memory."""

from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import Any, Generic, Protocol, TypeVar

import msgspec

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_encode = msgspec.msgpack.Encoder().encode


class Items(Protocol[T_co]):
    """What is read item by item: a list in memory or on disk, or one whose items are made when they are needed."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> T_co: ...
    def __iter__(self) -> Iterator[T_co]: ...


class DiskListFull(Exception):
    """The list would take more bytes than it may."""


class DiskList(Generic[T]):
    """A list of one `kind` of values in a temporary file, which is closed with the `stack`.

    msgspec has to know the kind; integers have 64 bits. With `room`, `append` raises `DiskListFull` beyond that many
    bytes.
    """

    def __init__(self, stack: ExitStack, kind: type[T], room: int | None = None) -> None:
        self._file = stack.enter_context(TemporaryFile())
        self._decode: Any = msgspec.msgpack.Decoder(kind).decode
        self._room = room
        # Where each item begins, and the last one ends.
        self._places = array("Q", [0])
        # Seeking for each item would empty the file's buffer each time.
        self._is_at_end = True

    @property
    def size(self) -> int:
        return self._places[-1]

    def __len__(self) -> int:
        return len(self._places) - 1

    def __getitem__(self, position: int) -> T:
        start, end = self._places[position : position + 2]
        self._file.seek(start)
        self._is_at_end = False
        item: T = self._decode(self._file.read(end - start))
        return item

    def __iter__(self) -> Iterator[T]:
        return map(self.__getitem__, range(len(self)))

    def append(self, item: T) -> None:
        encoded = _encode(item)
        if self._room is not None and self.size + len(encoded) > self._room:
            raise DiskListFull
        if not self._is_at_end:
            self._file.seek(self._places[-1])
            self._is_at_end = True
        self._file.write(encoded)
        self._places.append(self._places[-1] + len(encoded))
