"""Reading the XML parts of a workbook piece by piece: nothing is built of them but what is asked for.

A declaration of a document type is refused: no workbook has one, and with entities a small text becomes a huge one.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import IO
from xml.parsers import expat

from django.utils.translation import gettext_lazy as _

from bulkops.formats.rows import UnreadableFile

# A tag as long as this is no part of a table, and would be held in memory.
_MAX_TAG_BYTES = 4 * 1024**2
# Far more than the parts of a workbook have; the parser keeps each name, and the tags that are open.
_MAX_NAMES = 10_000
_MAX_DEPTH = 100
_CHUNK = 256 * 1024
_DAMAGED = _("The workbook is damaged. Open it in Excel, save it again as an Excel workbook (.xlsx) and load that.")
_DECLARES_TYPE = _("The workbook declares a document type, which no program for tables does; it is not read.")

StartHandler = Callable[[str, dict[str, str]], object]
EndHandler = Callable[[str], object]
TextHandler = Callable[[str], object]


def damaged() -> UnreadableFile:
    """The refusal of a workbook that is not made as workbooks are."""
    return UnreadableFile(1, _DAMAGED)


def read_xml(part: IO[bytes], start: StartHandler, end: EndHandler, text: TextHandler) -> Iterator[int]:
    """Call the handlers with what stands in `part`; yield the number of bytes read after each piece.

    Names come without their prefixes. Raises UnreadableFile for malformed XML and for a declared document type.
    """
    parser = expat.ParserCreate()
    names = _LocalNames()

    depth = 0

    def start_tag(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise damaged()
        start(names[name], attributes)

    def end_tag(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(names[name])

    parser.buffer_text = True
    parser.StartElementHandler = start_tag
    parser.EndElementHandler = end_tag
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse_document_type
    size = 0
    try:
        while chunk := part.read(_CHUNK):
            parser.Parse(chunk, False)
            size += len(chunk)
            if size - parser.CurrentByteIndex > _MAX_TAG_BYTES:
                raise damaged()
            yield size
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError):
        # Malformed XML, an unknown encoding, and a word where the handlers need a number.
        raise damaged() from None
    yield size


def start_tags(part: IO[bytes]) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """The name of the parent, the name and the attributes of each element in the small `part`."""
    path = [""]
    found: list[tuple[str, str, Mapping[str, str]]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        found.append((path[-1], name, {key.rpartition(":")[2]: value for key, value in attributes.items()}))
        path.append(name)

    for _piece in read_xml(part, start, lambda _name: path.pop(), lambda _text: None):
        yield from found
        found.clear()


class _LocalNames(dict[str, str]):
    """Names without their prefixes, each worked out once."""

    def __missing__(self, name: str) -> str:
        if len(self) >= _MAX_NAMES:
            raise damaged()
        local = self[name] = name.rpartition(":")[2]
        return local


def _refuse_document_type(*_declaration: object) -> None:
    raise UnreadableFile(1, _DECLARES_TYPE)
