"""Large JSON texts, divided into the texts of their members and items, without Python objects.

msgspec skips a value at a gigabyte a second and reports where trailing text begins, which suffices to iterate over
an object or an array. Tests pin the error messages that this module parses.
"""

import codecs
import re
from collections.abc import Iterator

import msgspec

from dimensions_site.api.json.reader import MAX_JSON_DEPTH, JsonError, json_error, text_start

# The size of the parts that are processed at a time, where they must be copied.
_WINDOW = 1024 * 1024
_BLANKS = re.compile(rb"[ \t\n\r]*+")
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
# msgspec counts bytes from 0, and has consumed one character of the trailing text.
_TRAILING = re.compile(r".*: trailing characters \(byte (\d+)\)")
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
_TOO_SHORT = "it ends too early"
# Everything up to an unpaired surrogate; linear, because the alternatives are disjoint and possessive.
_UP_TO_LONE_SURROGATE = re.compile(
    rb"(?:[^\\]++|\\[^u]|\\u[^dD]|\\u[dD][0-7]|\\u[dD][89abAB]..\\u[dD][c-fC-F])*+(\\u[dD][89a-fA-F][0-9a-fA-F]{2})?",
    re.DOTALL,
)


def check_text(text: bytearray, expected: str) -> None:
    """Remove a byte-order mark; raise JsonError for an empty text, with what is `expected`, and for invalid UTF-8
    (contract B3).
    """
    del text[: text_start(text, expected)]
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(text), _WINDOW):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(text[start : start + _WINDOW], final=start + _WINDOW >= len(text))
        except UnicodeDecodeError as error:
            place = _place(memoryview(text), start - pending + error.start)
            raise json_error("INVALID_ENCODING", f"The body is not valid UTF-8 {place}.") from None


def first_character(text: memoryview) -> bytes:
    """Return the first character of the JSON value `text`, which identifies its type; empty if there is none."""
    start = _end_of_blanks(text, 0)
    return bytes(text[start : start + 1])


def check_json(text: memoryview) -> None:
    """Raise JsonError if `text`, which is UTF-8, is malformed or too deep to be scanned."""
    scanner = _Scanner(text)
    scanner.value()
    scanner.end()


def members(text: memoryview) -> Iterator[tuple[str, msgspec.Raw]]:
    """Yield the names and texts of the members of the object `text`, in order, including duplicates.

    `text` is UTF-8. Raises JsonError if it is malformed, too deep or not an object.
    """
    scanner = _Scanner(text)
    for name in scanner.entries(b"{", b"}"):
        if first_character(name) != b'"':
            raise scanner.malformed(scanner.position - len(name), "expected a name in quotes")
        scanner.step(b":")
        yield msgspec.json.decode(name, type=str), msgspec.Raw(scanner.value())


def items(text: memoryview) -> Iterator[msgspec.Raw]:
    """Return the texts of the items of the array `text`, in order. Raises JsonError as `members` does."""
    return map(msgspec.Raw, _Scanner(text).entries(b"[", b"]"))


class _Scanner:
    def __init__(self, text: memoryview) -> None:
        self.text = text
        self.position = 0

    def entries(self, opening: bytes, closing: bytes) -> Iterator[memoryview]:
        """Yield the value after the opening bracket and after each comma; the reader may continue after each."""
        self.step(opening)
        if first_character(self.text[self.position :]) == closing:
            self.step(closing)
        else:
            yield self.value()
            while self.step(b"," + closing) == b",":
                yield self.value()
        self.end()

    def value(self) -> memoryview:
        """Skip a value and the whitespace around it; return its text."""
        start = self.position
        try:
            msgspec.json.decode(self.text[start:], type=msgspec.Raw)
        except msgspec.DecodeError as error:
            self.position = self._end_of_value(start, str(error))
        except RecursionError:
            raise json_error("TOO_DEEP", f"The body is nested deeper than {MAX_JSON_DEPTH} levels.") from None
        else:
            self.position = len(self.text)
        return self.text[start : self.position]

    def step(self, expected: bytes) -> bytes:
        start = _end_of_blanks(self.text, self.position)
        found = bytes(self.text[start : start + 1])
        if not found:
            raise self.malformed(start, _TOO_SHORT)
        if found not in expected:
            raise self.malformed(start, f"expected {' or '.join(repr(chr(character)) for character in expected)}")
        self.position = start + 1
        return found

    def end(self) -> None:
        start = _end_of_blanks(self.text, self.position)
        if start < len(self.text):
            raise self.malformed(start, "expected the end of the text")

    def malformed(self, position: int, reason: str) -> JsonError:
        return json_error("INVALID_JSON", f"The body is not valid JSON {_place(self.text, position)}: {reason}.")

    def _end_of_value(self, start: int, message: str) -> int:
        trailing = _TRAILING.fullmatch(message)
        if trailing:
            return start + int(trailing[1]) - 1
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
    """Return line and column, in characters, of a byte of valid UTF-8."""
    line, column = 1, 1
    for start in range(0, position, _WINDOW):
        window = bytes(text[start : min(start + _WINDOW, position)])
        if b"\n" in window:
            line += window.count(b"\n")
            column = 1
            window = window[window.rfind(b"\n") + 1 :]
        column += len(window.translate(None, _CONTINUATION_BYTES))
    return f"at line {line}, column {column}"
