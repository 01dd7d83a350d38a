"""Read the XML parts of a workbook piece by piece; only what is needed is built (design/workbooks.md).

A document type declaration is rejected: no workbook has one, and entities could expand a small text enormously.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sized
from functools import lru_cache
from typing import IO
from xml.parsers import expat

from django.utils.translation import gettext_lazy as _

from bulkops.files.formats.rows import UnreadableFile
from dimensions_site.text.formats import grouped_number

# Far more than the parts of a workbook have. The parser keeps a whole tag, the open tags, and every name of an element
# or attribute in memory.
MAX_TAG_BYTES = 512 * 1024
MAX_ATTRIBUTES = 256
MAX_NAMES = 2_000
MAX_NAME_CHARACTERS = 255
_MAX_DEPTH = 100
_CHUNK = 256 * 1024
_DIGITS = re.compile("[0-9]{1,10}")
_ADDITIONS = frozenset({"rPh", "extLst"})
_DAMAGED = _("The workbook is damaged. Open it in Excel, save it again as an Excel workbook (.xlsx) and load that.")
_TOO_MANY_ATTRIBUTES = _(
    "The workbook has an XML tag with {count} attributes; up to {maximum} are read. Open it in Excel, save it again as "
    "an Excel workbook (.xlsx) and load that."
)
_TOO_MANY_NAMES = _(
    "The workbook has more than {maximum} different names in one part of its XML. Open it in Excel, save it again as "
    "an Excel workbook (.xlsx) and load that."
)
_OUT_OF_MEMORY = expat.errors.codes[expat.errors.XML_ERROR_NO_MEMORY]
_DECLARES_TYPE = _("The workbook declares a document type, which spreadsheet programs never do; it is rejected.")

StartHandler = Callable[[str, dict[str, str]], object]
EndHandler = Callable[[str], object]
TextHandler = Callable[[str], object]


def damaged_workbook() -> UnreadableFile:
    """Return the error for an invalid workbook."""
    return UnreadableFile(1, _DAMAGED)


@lru_cache(maxsize=4096)
def whole_number(text: str | None, maximum: int = 2**31 - 1) -> int:
    """Return the number from 0 to `maximum` in an attribute. Raises UnreadableFile for anything else."""
    if text is None or not _DIGITS.fullmatch(text) or int(text) > maximum:
        raise damaged_workbook()
    return int(text)


def read_xml(part: IO[bytes], start: StartHandler, end: EndHandler, text: TextHandler) -> Iterator[int]:
    """Call the handlers for the content of `part`; yield the number of bytes read after each piece.

    Names are passed without prefixes. Raises UnreadableFile for malformed XML, a document type, and more attributes or
    names than a workbook has.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = _tag_handlers(start, end)
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse_document_type
    size = 0
    try:
        while chunk := part.read(_CHUNK):
            parser.Parse(chunk, False)
            size += len(chunk)
            if size - parser.CurrentByteIndex > MAX_TAG_BYTES:
                raise damaged_workbook()
            yield size
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        if error.code == _OUT_OF_MEMORY:
            raise MemoryError from None
        raise damaged_workbook() from None
    except (LookupError, ValueError):
        # An unknown encoding, or a text where the handlers need a number.
        raise damaged_workbook() from None
    yield size


def start_tags(part: IO[bytes]) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the parent's name, the name and the attributes of each element in the small `part`."""
    path = [""]
    found: list[tuple[str, str, Mapping[str, str]]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        found.append((path[-1], name, {key.rpartition(":")[2]: value for key, value in attributes.items()}))
        path.append(name)

    for _piece in read_xml(part, start, lambda _name: path.pop(), lambda _text: None):
        yield from found
        found.clear()


class TextCollector:
    """Collects the texts of the elements `names`, without phonetic hints (`rPh`) and what extensions add (`extLst`).

    Slightly more than `maximum` characters are kept of texts that are too long, so that this can be detected.
    """

    def __init__(self, names: Container[str], maximum: int) -> None:
        self._names = names
        self._maximum = maximum
        self._pieces: dict[str, list[str]] = {}
        self._length = 0
        self._name = ""
        self._is_addition = False

    def start(self, name: str) -> None:
        if name in _ADDITIONS:
            self._is_addition = True
        self._name = name if name in self._names and not self._is_addition else ""
        if self._name:
            self._pieces.setdefault(name, [])

    def end(self, name: str) -> None:
        if name in _ADDITIONS:
            self._is_addition = False
        self._name = ""

    def add(self, text: str) -> None:
        if self._name and self._length <= self._maximum:
            self._pieces[self._name].append(text)
            self._length += len(text)

    def take(self) -> dict[str, str]:
        texts = {name: "".join(pieces) for name, pieces in self._pieces.items()}
        self._pieces.clear()
        self._length = 0
        return texts


def _tag_handlers(start: StartHandler, end: EndHandler) -> tuple[StartHandler, EndHandler]:
    """Return handlers that pass the tags of a part on with their local names, if they are those of a workbook.

    Closures, because they are called a hundred thousand times a second.
    """
    names = _LocalNames()
    seen: set[str] = set()
    depth = 0

    def start_tag(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise damaged_workbook()
        if len(attributes) > MAX_ATTRIBUTES:
            values = {"count": grouped_number(len(attributes)), "maximum": grouped_number(MAX_ATTRIBUTES)}
            raise UnreadableFile(1, _TOO_MANY_ATTRIBUTES.format(**values))
        if not seen.issuperset(attributes):
            seen.update(map(_checked, attributes))
            _check_count(seen)
        start(names[name], attributes)

    def end_tag(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(names[name])

    return start_tag, end_tag


class _LocalNames(dict[str, str]):
    """Names without their prefixes, each computed once."""

    def __missing__(self, name: str) -> str:
        local = self[name] = _checked(name).rpartition(":")[2]
        _check_count(self)
        return local


def _checked(name: str) -> str:
    if len(name) > MAX_NAME_CHARACTERS:
        raise damaged_workbook()
    return name


def _check_count(names: Sized) -> None:
    if len(names) > MAX_NAMES:
        raise UnreadableFile(1, _TOO_MANY_NAMES.format(maximum=grouped_number(MAX_NAMES)))


def _refuse_document_type(*_declaration: object) -> None:
    raise UnreadableFile(1, _DECLARES_TYPE)
