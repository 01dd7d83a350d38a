"""JSON as it was sent: large texts are checked and taken apart as bytes, and nothing of them is built.

msgspec passes over a value at a gigabyte a second and says where the text goes on behind it, which is all that is
needed to walk through an object or an array. Its words for that are pinned by the tests.
"""

import codecs
import re
from collections.abc import Iterator

import msgspec

from dimensions_site.api.json_reader import MAX_DEPTH, JsonError, json_error

# Bytes that are looked at together, where a copy of them is made.
_WINDOW = 1024 * 1024
_BLANKS = re.compile(rb"[ \t\n\r]*+")
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
# msgspec counts bytes from 0, and has passed over the character behind the value when it tells of it.
_GOES_ON = re.compile(r".*: trailing characters \(byte (\d+)\)")
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
_TOO_SHORT = "it ends too early"
# Everything up to half of a surrogate pair; linear, for each alternative begins in its own way and none is tried again.
_UP_TO_LONE_SURROGATE = re.compile(
    rb"(?:[^\\]++|\\[^u]|\\u[^dD]|\\u[dD][0-7]|\\u[dD][89abAB]..\\u[dD][c-fC-F])*+(\\u[dD][89a-fA-F][0-9a-fA-F]{2})?",
    re.DOTALL,
)


def check_text(text: bytearray) -> None:
    """Remove a byte-order mark; raise JsonError for an empty text and for one that is not UTF-8 (contract B3)."""
    if text.startswith(codecs.BOM_UTF8):
        del text[: len(codecs.BOM_UTF8)]
    if not text or text.isspace():
        raise json_error("EMPTY_BODY", "The body is empty; a JSON object or array is expected.")
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(text), _WINDOW):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(text[start : start + _WINDOW], final=start + _WINDOW >= len(text))
        except UnicodeDecodeError as error:
            place = _place(memoryview(text), start - pending + error.start)
            raise json_error("INVALID_ENCODING", f"The body is not UTF-8: it cannot be read {place}.") from None


def first_character(text: memoryview) -> bytes:
    """The first character of the JSON value `text`, which tells its kind; empty when there is none."""
    start = _end_of_blanks(text, 0)
    return bytes(text[start : start + 1])


def check_json(text: memoryview) -> None:
    """Raise JsonError when `text`, which is UTF-8, is malformed or too deep to be walked through."""
    walk = _Walk(text)
    walk.value()
    walk.end()


def members(text: memoryview) -> Iterator[tuple[str, msgspec.Raw]]:
    """The names and the texts of the members of the object `text`, in their order; a name may come twice.

    `text` is UTF-8. Raises JsonError where it is malformed or too deep, and when it is no object.
    """
    walk = _Walk(text)
    for name in walk.entries(b"{", b"}"):
        if first_character(name) != b'"':
            raise walk.malformed(walk.position - len(name), "expected a name in quotes")
        walk.step(b":")
        yield msgspec.json.decode(name, type=str), msgspec.Raw(walk.value())


def items(text: memoryview) -> Iterator[msgspec.Raw]:
    """The texts of the items of the array `text`, in their order. Raises JsonError as `members` does."""
    return map(msgspec.Raw, _Walk(text).entries(b"[", b"]"))


class _Walk:
    """A walk through the text of a value."""

    def __init__(self, text: memoryview) -> None:
        self.text = text
        self.position = 0

    def entries(self, opening: bytes, closing: bytes) -> Iterator[memoryview]:
        """The value after the opening bracket and after each comma; what else belongs to it, the caller takes."""
        self.step(opening)
        if first_character(self.text[self.position :]) == closing:
            self.step(closing)
        else:
            yield self.value()
            while self.step(b"," + closing) == b",":
                yield self.value()
        self.end()

    def value(self) -> memoryview:
        """Pass over a value and the blanks around it; return its text."""
        start = self.position
        try:
            msgspec.json.decode(self.text[start:], type=msgspec.Raw)
        except msgspec.DecodeError as error:
            self.position = self._end_of_value(start, str(error))
        except RecursionError:
            raise json_error("TOO_DEEP", f"The body is nested deeper than {MAX_DEPTH} levels.") from None
        else:
            self.position = len(self.text)
        return self.text[start : self.position]

    def step(self, expected: bytes) -> bytes:
        """Pass over one of the characters that are `expected`, and return it."""
        start = _end_of_blanks(self.text, self.position)
        found = bytes(self.text[start : start + 1])
        if not found:
            raise self.malformed(start, _TOO_SHORT)
        if found not in expected:
            raise self.malformed(start, f"expected {' or '.join(repr(chr(character)) for character in expected)}")
        self.position = start + 1
        return found

    def end(self) -> None:
        """Make sure that nothing follows."""
        start = _end_of_blanks(self.text, self.position)
        if start < len(self.text):
            raise self.malformed(start, "expected nothing more")

    def malformed(self, position: int, reason: str) -> JsonError:
        """The refusal of a text that is no JSON from `position` on."""
        return json_error("INVALID_JSON", f"The body is not valid JSON {_place(self.text, position)}: {reason}.")

    def _end_of_value(self, start: int, message: str) -> int:
        goes_on = _GOES_ON.fullmatch(message)
        if goes_on:
            return start + int(goes_on[1]) - 1
        malformed = _MALFORMED.fullmatch(message)
        position = start + int(malformed[2]) if malformed else len(self.text)
        lone = _UP_TO_LONE_SURROGATE.match(self.text, start, position)
        if lone and lone[1]:
            place = _place(self.text, lone.start(1))
            character = lone[1].decode()[2:].upper()
            raise json_error("INVALID_CHARACTER", f"The body holds U+{character} {place}, which is not a character.")
        raise self.malformed(position, malformed[1] if malformed else _TOO_SHORT)


def _end_of_blanks(text: memoryview, start: int) -> int:
    found = _BLANKS.match(text, start)
    return found.end() if found else start


def _place(text: memoryview, position: int) -> str:
    """Line and column, in characters, of a byte of valid UTF-8."""
    line, column = 1, 1
    for start in range(0, position, _WINDOW):
        window = bytes(text[start : min(start + _WINDOW, position)])
        if b"\n" in window:
            line += window.count(b"\n")
            column = 1
            window = window[window.rfind(b"\n") + 1 :]
        column += len(window.translate(None, _CONTINUATION_BYTES))
    return f"at line {line}, column {column}"
