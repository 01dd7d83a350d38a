"""The strict reader of JSON bodies (contract B3): it refuses what may be read in two ways (design/http.md)."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from dimensions_site.api.failures import MAX_COUNTED, MAX_FAILURES, Failure, JoinPath, quoted, wire_path
from dimensions_site.text.formats import shortened

MAX_JSON_DEPTH = 50
# The longest number in characters and its largest exponent: far beyond any amount, and cheap to expand.
MAX_NUMBER_LENGTH = 400
MAX_EXPONENT = 400

# Everything up to the next bracket or the end, skipping strings, whose brackets do not count. Possessive quantifiers,
# and the end as an alternative, keep the search linear.
_NEXT_BRACKET = re.compile(r'(?:[^\[\]{}"]++|"(?:[^"\\]++|\\.)*+"?)*+([\[\]{}]|\Z)', re.DOTALL)
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1, "": 0}
# In valid UTF-8 and JSON, surrogates and NUL occur only as escapes. Most bodies have neither.
_SUSPICIOUS_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
# An optional byte-order mark before a text that is not blank.
_BEGINNING = re.compile(rb"(?:%s)?+(?=\s*+\S)" % codecs.BOM_UTF8)
_FORBIDDEN_CHARACTER = re.compile("[\x00\ud800-\udfff]")


class JsonError(ValueError):
    """An invalid body, with the errors in `failures`, each with its path if known.

    Keeps at most MAX_FAILURES; `failure_count` is the number of all, counted up to slightly more than MAX_COUNTED.
    """

    def __init__(self, failures: Sequence[Failure], failure_count: int) -> None:
        super().__init__(failures[0].message)
        self.failures = tuple(failures)
        self.failure_count = failure_count


def read_json(data: bytes | bytearray, *, join: JoinPath = wire_path, path: str = "") -> object:
    """Return the value of the JSON text `data`, in UTF-8 with or without a byte-order mark.

    Integers are `int`; numbers with a fraction or an exponent are `Decimal` with the digits as sent. `join` builds the
    paths in failures; `path` is that of `data` if it is part of a larger text. Takes time linear in the length of
    `data`.

    Raises JsonError for an empty or malformed text, another encoding, nesting deeper than MAX_DEPTH, duplicate keys,
    NaN and Infinity, unpaired surrogates, NUL, and numbers longer than MAX_NUMBER_LENGTH or with an exponent beyond
    MAX_EXPONENT. Contract B3.
    """
    text = _decoded(data)
    _check_depth(text, path)
    hooks = _Hooks()
    try:
        document: object = json.loads(
            text,
            object_pairs_hook=hooks.object,
            parse_int=hooks.integer,
            parse_float=hooks.decimal,
            parse_constant=hooks.constant,
        )
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:]}".removesuffix(" at").removesuffix(" starting")
        raise json_error("INVALID_JSON", f"The body is not valid JSON {_place(text, error.pos)}: {reason}.") from None
    if hooks.refused or _SUSPICIOUS_ESCAPE.search(text):
        failures = islice(_failures(document, path, join), MAX_COUNTED + 1)
        reported = list(islice(failures, MAX_FAILURES))
        if reported:
            raise JsonError(reported, len(reported) + sum(1 for _ in failures))
    return document


def text_start(data: bytes | bytearray, expected: str = "a JSON object or array") -> int:
    """Return where the text of a body begins, after a byte-order mark.

    Raises JsonError for an empty body, with what is `expected`.
    """
    beginning = _BEGINNING.match(data)
    if beginning is None:
        raise json_error("EMPTY_BODY", f"The body is empty; {expected} is expected.")
    return beginning.end()


def _decoded(data: bytes | bytearray) -> str:
    data = data[text_start(data) :]
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        place = _place(data[: error.start].decode(), error.start)
        raise json_error("INVALID_ENCODING", f"The body is not valid UTF-8 {place}.") from None


def _check_depth(text: str, path: str) -> None:
    """Check the nesting before the standard decoder, whose recursion has no limit of its own."""
    depth = 0
    for found in _NEXT_BRACKET.finditer(text):
        depth += _STEPS[found[1]]
        if depth > MAX_JSON_DEPTH:
            place = f" {_place(text, found.start(1))}" if not path else ""
            raise json_error("TOO_DEEP", f"{_named(path)} is nested deeper than {MAX_JSON_DEPTH} levels{place}.", path)


def _place(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = min(position, len(text)) - text.rfind("\n", 0, position)
    return f"at line {line}, column {column}"


def json_error(code: str, message: str, path: str = "") -> JsonError:
    """Return an error with one reason, which applies to the text as a whole unless `path` names a part."""
    return JsonError([Failure(path, code, message)], 1)


@dataclass(frozen=True)
class _RefusedNumber:
    """A placeholder in the document for an invalid number, until its path is known."""

    reason: str


class _ObjectWithRepeatedKeys(dict[str, object]):
    """A placeholder in the document for an object with duplicate keys, until its path is known."""

    repeated_keys: Sequence[str] = ()


class _Hooks:
    """The hooks of the standard decoder. It does not pass paths, so the hooks leave placeholders for a later pass."""

    refused = False

    def object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        self.refused = True
        placeholder = _ObjectWithRepeatedKeys(members)
        placeholder.repeated_keys = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        return placeholder

    def integer(self, text: str) -> int | _RefusedNumber:
        return int(text) if len(text) <= MAX_NUMBER_LENGTH else self._too_long(text)

    def decimal(self, text: str) -> Decimal | _RefusedNumber:
        if len(text) > MAX_NUMBER_LENGTH:
            return self._too_long(text)
        exponent = text.lower().partition("e")[2]
        if exponent and abs(int(exponent)) > MAX_EXPONENT:
            limits = f"from -{MAX_EXPONENT} to {MAX_EXPONENT}"
            return self._refuse(f"must be a number with an exponent {limits}; got {shortened(text)}")
        return Decimal(text)

    def constant(self, text: str) -> _RefusedNumber:
        return self._refuse(f"must be a valid JSON number; got {text}")

    def _too_long(self, text: str) -> _RefusedNumber:
        return self._refuse(f"is a number of {len(text):,} characters; the limit is {MAX_NUMBER_LENGTH}")

    def _refuse(self, reason: str) -> _RefusedNumber:
        self.refused = True
        return _RefusedNumber(reason)


def _failures(value: object, path: str, join: JoinPath) -> Iterator[Failure]:
    match value:
        case _RefusedNumber():
            yield Failure(path, "INVALID_NUMBER", f"{_named(path)} {value.reason}.")
        case str():
            yield from _text_failures(value, path, _named(path))
        case list():
            for position, item in enumerate(value):
                yield from _failures(item, join(path, position), join)
        case dict():
            if isinstance(value, _ObjectWithRepeatedKeys):
                for key in value.repeated_keys:
                    message = f"{_named(path)} must not have the key {quoted(key)} more than once."
                    yield Failure(join(path, shortened(key)), "DUPLICATE_KEY", message)
            for key, item in value.items():
                place = join(path, shortened(key))
                yield from _text_failures(key, place, f"{_named(path)}: the key {quoted(key)}")
                yield from _failures(item, place, join)


def _text_failures(text: str, path: str, subject: str) -> Iterator[Failure]:
    found = _FORBIDDEN_CHARACTER.search(text)
    if found:
        message = f"{subject} must not contain U+{ord(found[0]):04X}, which is not allowed in text."
        yield Failure(path, "INVALID_CHARACTER", message)


def _named(path: str) -> str:
    return path or "The body"
