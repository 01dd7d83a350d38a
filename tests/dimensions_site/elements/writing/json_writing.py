"""JSON as other programs write it: other orders, blanks and escapes, and duplicate members."""

import json
from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import strategies as st

# Edge cases of JSON, valid and invalid.
_PIECES = (
    *(b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b" ", b"null", b"true", b"0", b"-0", b"1e5", b"2.0", b"NaN"),
    *(b'"id":"2",', b'"en":null,', b'"a":"b:c"', b"{}", b"\\u003a", b"\\u0000", b"\\ud83d", b"\\u00e9", b"\\/"),
    *(b"\0", b"\x1f", b"\x7f", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", "é".encode(), "𝒳".encode()),
)


def plain(value: Any) -> bytes:
    """JSON as Python's own encoder writes it, in UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode()


def strangely(value: Any, choice: Random, *, twice: float = 0.0) -> bytes:
    """The same JSON in a way that `choice` decides; a member occurs `twice` with that probability."""
    return _Writer(choice, twice).whole(value)


class _Writer:
    """Writes one text in a random way."""

    def __init__(self, choice: Random, twice: float) -> None:
        self._choice = choice
        self._twice = twice
        self._blanks = choice.choice((("",), ("", "", " "), ("", "", " ", "\n\t", "\r\n")))
        self._shuffles = choice.random() < 0.5
        # Which characters may be escaped, and how many of them are.
        self._first_escaped = choice.choice((0x110000, 0x110000, 0x80, 0x80, 0x20))
        self._share = choice.choice((0.02, 0.5, 1))

    def whole(self, value: Any) -> bytes:
        return (self._blank() + self._written(value) + self._blank()).encode()

    def _written(self, value: Any) -> str:
        if isinstance(value, str):
            return '"' + "".join(map(self._character, value)) + '"'
        if isinstance(value, list):
            return f"[{','.join(self._blank() + self._written(item) for item in value)}]"
        if not isinstance(value, dict):
            return json.dumps(value)
        members = [*value.items()]
        again = [member for member in members if self._choice.random() < self._twice]
        members += [(name, self._choice.choice((inner, None, {}))) for name, inner in again]
        if self._shuffles:
            self._choice.shuffle(members)
        return "{" + ",".join(f"{self._spaced(name)}:{self._spaced(inner)}" for name, inner in members) + "}"

    def _spaced(self, value: Any) -> str:
        return self._blank() + self._written(value) + self._blank()

    def _character(self, character: str) -> str:
        if ord(character) < self._first_escaped or self._choice.random() >= self._share:
            return json.dumps(character, ensure_ascii=False)[1:-1]
        escape = json.dumps(character)[1:-1]
        return escape if len(escape) > 2 else f"\\u{ord(character):04X}"

    def _blank(self) -> str:
        return self._choice.choice(self._blanks)


@st.composite
def damaged(draw: st.DrawFn, text: bytes) -> bytes:
    """`text` after a few changes that a broken or hostile program makes: parts cut out, repeated, inserted."""
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        end = min(end, start + draw(st.sampled_from((0, 1, 2, 8, 40))))
        piece = draw(st.sampled_from((b"", text[start:end] * 2, *_PIECES)))
        text = text[:start] + piece + text[end:]
    return text


def places(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all members inside a JSON value."""
    if not isinstance(value, dict):
        return []
    return [place for name, inner in value.items() for place in ((*path, name), *places(inner, (*path, name)))]


@st.composite
def nearly(draw: st.DrawFn, value: Any, values: st.SearchStrategy[Any]) -> Any:
    """A copy of the JSON object `value`: a few members are replaced by `values`, missing or duplicated."""
    result = json.loads(json.dumps(value))
    # The same object, placed into itself, would have no end.
    values = values.map(deepcopy)
    for place in draw(st.lists(st.sampled_from(places(result)), max_size=2, unique=True)) if result else []:
        group = result
        for name in place[:-1]:
            group = group.get(name) if isinstance(group, dict) else None
        if isinstance(group, dict):
            match draw(st.sampled_from(("other", "missing", "sibling"))):
                case "other":
                    group[place[-1]] = draw(values)
                case "missing":
                    group.pop(place[-1], None)
                case "sibling":
                    group[draw(st.sampled_from(("nonsense", "id", "description", "en", "a:b")))] = draw(values)
    return result
