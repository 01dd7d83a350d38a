"""Iterating over JSON as it was sent: the parts are those that a reader of the whole finds."""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimensions_site.api.json.dividing import check_json, first_character, items, members
from dimensions_site.api.json.reader import JsonError, read_json
from tests.strategies import json_values

pytestmark = pytest.mark.contract("B3")

blanks = st.text(" \t\n\r", max_size=2)


@st.composite
def spaced(draw: st.DrawFn, value: object) -> str:
    """JSON text of `value` with blanks wherever they may stand."""
    between = f"{draw(blanks)},{draw(blanks)}", f"{draw(blanks)}:{draw(blanks)}"
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), separators=between)
    return f"{draw(blanks)}{text}{draw(blanks)}"


def refusal(walk, text: str | bytes) -> tuple[str, str]:
    """Code and message of the refusal of a text."""
    with pytest.raises(JsonError) as error:
        list(walk(memoryview(text if isinstance(text, bytes) else text.encode())))
    (failure,) = error.value.failures
    assert failure.path == ""
    return failure.code, failure.message


def parsed(text: msgspec.Raw) -> object:
    return json.loads(bytes(text))


@given(st.lists(json_values, max_size=5), st.data())
def test_the_items_of_an_array_are_those_of_the_whole(values, data):
    """Each is the text of its value, in their order, however it is spaced and escaped."""
    text = data.draw(spaced(values))
    assert [parsed(item) for item in items(memoryview(text.encode()))] == values


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5), st.data())
def test_the_members_of_an_object_are_those_of_the_whole(values, data):
    """Names are read, whatever they hold; values are their texts."""
    values = {name.encode("utf-8", "ignore").decode(): value for name, value in values.items()}
    text = data.draw(spaced(values))
    assert [(name, parsed(value)) for name, value in members(memoryview(text.encode()))] == list(values.items())


def test_a_name_comes_as_often_as_it_stands_there():
    """The calling code decides what that means; an escape does not make another name."""
    text = memoryview(rb'{"a": 1, "b": 2, "\u0061": [3]}')
    assert [(name, parsed(value)) for name, value in members(text)] == [("a", 1), ("b", 2), ("a", [3])]


def test_parts_are_not_copies():
    """A body of hundreds of megabytes is in memory once."""
    body = bytearray(b'["aaaa", {}]')
    first, _ = items(memoryview(body))
    body[2:6] = b"bbbb"
    assert parsed(first) == "bbbb"


@given(st.text(alphabet='{}[]",:\\0123456789.eE-+u dD8abtrfnl\n', max_size=40))
def test_what_is_walked_through_is_json_as_others_know_it(text):
    """Nothing is accepted that others would refuse, and nothing refused that is JSON, halves of
    surrogate pairs apart."""
    data = memoryview(text.encode())
    walk = {b"[": items, b"{": members}.get(first_character(data), check_json)
    try:
        list(walk(data) or ())
    except JsonError as error:
        is_other_error = error.failures[0].code == "INVALID_CHARACTER"
    else:
        json.loads(text, parse_constant=refuse)
        return
    if not is_other_error:
        with pytest.raises(json.JSONDecodeError):
            json.loads(text, parse_constant=refuse)


def refuse(constant: str) -> None:
    raise json.JSONDecodeError(constant, "", 0)


@given(st.binary(max_size=40))
def test_no_utf_8_raises_anything_but_json_error(data):
    """Whatever is sent, the answer is the parts or a refusal."""
    text = memoryview(data.decode("utf-8", "ignore").encode())
    for walk in (items, members):
        with suppress(JsonError):
            list(walk(text))


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("[1, 2", "line 1, column 6", "it ends too early"),
        ('["a', "line 1, column 4", "it ends too early"),
        ("[1 2]", "line 1, column 4", "expected ',' or ']'"),
        ("[1,]", "line 1, column 4", "invalid character"),
        ("[1,\n 01]", "line 2, column 3", "invalid number"),
        ('["现金",\n"现",x]', "line 2, column 5", "invalid character"),
        ("[] []", "line 1, column 4", "expected the end of the text"),
        ("[{1: 1}]", "line 1, column 3", "expected '\"'"),
        ('["a\tb"]', "line 1, column 4", "invalid character"),
        (r'["\x"]', "line 1, column 4", "invalid escaped character"),
        ("", "line 1, column 1", "it ends too early"),
        ("{}", "line 1, column 1", "expected '['"),
    ],
)
def test_malformed_arrays_are_refused_with_the_place(text, place, reason):
    """Line and column count characters from 1; the reason is put in words."""
    assert refusal(items, text) == ("INVALID_JSON", f"The body is not valid JSON at {place}: {reason}.")


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ('{"a" 1}', "line 1, column 6", "expected ':'"),
        ('{"a": 1 "b": 2}', "line 1, column 9", "expected ',' or '}'"),
        ('{"a": 1,}', "line 1, column 9", "invalid character"),
        ("{a: 1}", "line 1, column 2", "invalid character"),
        ("{1: 1}", "line 1, column 2", "expected a name in quotes"),
        ('{"a": 1}}', "line 1, column 9", "expected the end of the text"),
    ],
)
def test_malformed_objects_are_refused_with_the_place(text, place, reason):
    """The same for objects."""
    assert refusal(members, text) == ("INVALID_JSON", f"The body is not valid JSON at {place}: {reason}.")


@pytest.mark.parametrize(
    ("text", "character", "column"),
    [
        (r'["x\ud800"]', "U+D800", 4),
        (r'["\uDFFFx"]', "U+DFFF", 3),
        (r'["\\\ud83d\u0041"]', "U+D83D", 5),
        (r'["\ud83d\ude00\ude00"]', "U+DE00", 15),
        (r'[{"\udc00": 1}]', "U+DC00", 4),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_with_the_place(text, character, column):
    """No other text in it can be read then, so the place is reported instead of the field."""
    code, message = refusal(items, text)
    assert code == "INVALID_CHARACTER"
    assert f"{character} at line 1, column {column}," in message


@pytest.mark.parametrize("text", [r'["\ud83d\ude00"]', r'["\\ud800"]', r'["\uD83D\uDE00\\\\udfff"]'])
def test_what_only_looks_like_half_of_a_pair_is_taken(text):
    """A pair is one letter, and an escaped backslash does not start an escape."""
    assert [parsed(item) for item in items(memoryview(text.encode()))] == read_json(text.encode())


@pytest.mark.parametrize("text", ["[" * 100_000, '[{"a":' * 100_000, "[" + "[" * 5_000 + "]" * 5_000 + "]"])
def test_nesting_beyond_all_measure_is_refused(text):
    """It does not crash the process."""
    assert refusal(items, text) == ("TOO_DEEP", "The body is nested deeper than 50 levels.")


def test_a_part_that_is_not_wanted_is_not_walked_through():
    """An array may be far longer than any client accepts: it costs what is taken of it."""
    walk = items(memoryview(b"[" + b"1," * 1_000_000 + b"no JSON"))
    assert [parsed(next(walk)) for _ in range(3)] == [1, 1, 1]
