"""The strict reader of JSON: what it accepts, what it refuses, and where it locates the error."""

import json
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimensions_site.api.errors import Failure
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.reader import MAX_JSON_DEPTH, JsonError, read_json

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=30,
)


def as_bytes(data: bytes | str) -> bytes:
    return data if isinstance(data, bytes) else data.encode()


def refusal(data: bytes | str) -> list[tuple[str, str]]:
    """Return path and code of each failure."""
    with pytest.raises(JsonError) as error:
        read_json(as_bytes(data))
    return [(failure.path, failure.code) for failure in error.value.failures]


def message(data: bytes | str) -> str:
    with pytest.raises(JsonError) as error:
        read_json(as_bytes(data))
    return str(error.value)


@pytest.mark.contract("B3", "C19")
@given(values, st.booleans())
def test_what_json_writes_is_read_as_it_was(value, ascii_only):
    """Any document of any script, escaped or not, comes back equal."""
    assert read_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.contract("B3")
@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_json_error(data):
    """Whatever is sent, the answer is a value or a refusal with failures."""
    try:
        failures = [Failure("", "NONE", f"{read_json(data)!r} was read")]
    except JsonError as error:
        failures = list(error.failures)
    assert failures


@pytest.mark.contract("B3")
@given(st.text(alphabet='{}[]",:\\0123456789.eE-+u dD8abtrfnl\n', max_size=60))
def test_what_the_strict_reader_takes_the_standard_reader_takes_too(text):
    """It is a subset of JSON: nothing is accepted that others would refuse."""
    try:
        value = read_json(text.encode())
    except JsonError:
        return
    assert json.loads(text, parse_float=Decimal) == value


@pytest.mark.contract("C10")
@pytest.mark.parametrize("digits", ["1.50", "0.000", "-12345678901234567890.0000000001", "1E2", "1.0e-3"])
def test_fractions_keep_the_digits_that_were_sent(digits):
    """A percentage of 1.50 stays 1.50, and no digit is lost to binary fractions."""
    value = read_json(digits.encode())
    assert isinstance(value, Decimal)
    assert value.as_tuple() == Decimal(digits).as_tuple()


@pytest.mark.contract("C10")
@pytest.mark.parametrize(("text", "value"), [("2", 2), ("-0", 0), ("1" * 400, int("1" * 400))])
def test_integers_are_integers(text, value):
    """Also long ones, for a later check to refuse with the name of the field."""
    assert read_json(text.encode()) == value
    assert type(read_json(text.encode())) is int


@pytest.mark.contract("B3")
@pytest.mark.parametrize("number", ["1" * 401, "0." + "1" * 400, "1e401", "-1E-401", "1e999999999", "1e" + "9" * 390])
def test_numbers_that_nobody_can_mean_are_refused(number):
    """A number that takes gigabytes to write out is never built, and the path is reported."""
    assert refusal(f'{{"a": [1, {{"b": {number}}}]}}') == [("a.1.b", "INVALID_NUMBER")]


@pytest.mark.contract("B3")
@pytest.mark.parametrize("number", ["1e400", "1e-400", "1.5E+400"])
def test_the_largest_exponents_are_taken(number):
    """The limit itself is within."""
    assert read_json(number.encode()) == Decimal(number)


@pytest.mark.contract("B3")
@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_know_are_refused(constant):
    """Python's own reader would take them."""
    assert refusal(f'{{"rate": {constant}}}') == [("rate", "INVALID_NUMBER")]
    assert constant in message(f'{{"rate": {constant}}}')


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"id": 1, "id": 1}', ["id"]),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', ["a.b"]),
        ('{"a": [{}, {"b": 1, "b": 2}]}', ["a.1.b"]),
        ('{"a": 1, "a": 2, "a": 3, "b": {"c": 1, "\\u0063": 2}}', ["a", "b.c"]),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_path(text, paths):
    """Two readers could get two different values; an escape does not make another key."""
    assert refusal(text) == [(path, "DUPLICATE_KEY") for path in paths]


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        (r'{"a": "x\ud800"}', "a"),
        (r'{"a": ["ok", "\uDFFFx"]}', "a.1"),
        (r'{"a": "\udc00\ud800"}', "a"),
        (r'{"a": {"b": "x\u0000y"}}', "a.b"),
        (r'"\ud83d"', ""),
        (r'{"k\u0000": 1}', "k\0"),
        (r'{"\ud800": {"b": 1}}', "\ud800"),
    ],
)
def test_lone_surrogates_and_nul_are_refused_with_their_path(text, path):
    """No database stores them; in keys as in texts."""
    assert refusal(text) == [(path, "INVALID_CHARACTER")]


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("text", "value"),
    [(r'"\ud83d\ude00"', "😀"), (r'"\\u0000"', "\\u0000"), (r'"\\ud800"', "\\ud800"), ('"\x7f"', "\x7f")],
)
def test_what_only_looks_like_a_forbidden_character_is_taken(text, value):
    """A pair of surrogates is one letter, and an escaped backslash does not start an escape."""
    assert read_json(text.encode()) == value


@pytest.mark.contract("B1", "B3")
def test_every_error_is_reported():
    """A repeated key, a constant and a bad text in one body: three failures, not the first."""
    assert refusal(r'{"a": 1, "a": NaN, "b": ["\u0000", 1e500]}') == [
        ("a", "DUPLICATE_KEY"),
        ("a", "INVALID_NUMBER"),
        ("b.0", "INVALID_CHARACTER"),
        ("b.1", "INVALID_NUMBER"),
    ]


@pytest.mark.contract("B1")
def test_a_thousand_failures_are_kept_and_all_are_counted():
    """The list is cut, the number is correct."""
    with pytest.raises(JsonError) as error:
        read_json(b"[" + b",".join([b"NaN"] * 1_234) + b"]")
    assert (len(error.value.failures), error.value.failure_count) == (1_000, 1_234)


@pytest.mark.contract("B1")
def test_paths_in_a_bulk_body_are_json_pointers():
    """The calling code chooses how a path is written."""
    with pytest.raises(JsonError) as error:
        read_json(b'{"post": [{"id": NaN}]}', join=json_pointer)
    assert error.value.failures[0].path == "/post/0/id"


@pytest.mark.contract("B1")
def test_a_key_of_a_megabyte_is_not_repeated_in_every_message():
    """An answer stays small however long the names in the request are."""
    with pytest.raises(JsonError) as error:
        read_json(b'{"' + b"k" * 1_000_000 + b'": [NaN, NaN]}')
    assert all(len(failure.path) < 200 and len(failure.message) < 400 for failure in error.value.failures)


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "line 1, column 2"),
        ('{"a": 1,}', "line 1, column"),
        ('{"a": 1\n "b": 2}', "line 2, column 2"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 01}', "line 1, column 8"),
        ('{"a": +1}', "line 1, column 7"),
        ('["\t"]', "line 1, column 3"),
        (r'["\x"]', "line 1, column 3"),
        ('["a\n', "line 1, column"),
        ("[] []", "line 1, column 4"),
        ("// note\n[]", "line 1, column 1"),
        ("[1] \ufeff", "line 1, column 5"),
    ],
)
def test_malformed_json_is_refused_with_the_place(text, place):
    """Line and column lead to the error."""
    assert refusal(text) == [("", "INVALID_JSON")]
    assert place in message(text)


@pytest.mark.contract("B3")
@pytest.mark.parametrize("data", [b"", b"  \n\t", b"\xef\xbb\xbf"])
def test_an_empty_body_is_refused_as_empty(data):
    """The message says what is expected instead."""
    assert refusal(data) == [("", "EMPTY_BODY")]
    assert "a JSON object or array is expected" in message(data)


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "data",
    [
        '{"ä": 1}'.encode("latin-1"),
        '{"a": 1}'.encode("utf-16"),
        b'"\xed\xa0\x80"',
        b'"\xc0\x80"',
        b'"\xf5\x80\x80\x80"',
    ],
)
def test_other_encodings_are_refused(data):
    """Latin-1, UTF-16, raw surrogates, overlong forms and code points beyond Unicode."""
    assert refusal(data) == [("", "INVALID_ENCODING")]


@pytest.mark.contract("B3")
def test_the_place_of_a_byte_that_is_not_utf_8_is_reported():
    """Columns count characters, not bytes."""
    assert "line 2, column 3" in message('{"ä":\n "'.encode() + b"\xff")


@pytest.mark.contract("B3")
def test_a_byte_order_mark_is_accepted():
    """Some editors and spreadsheets write one."""
    assert read_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@pytest.mark.contract("B3")
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_limited(opening, closing):
    """The limit itself is taken, one level more is refused."""
    assert read_json((opening * (MAX_JSON_DEPTH - 1) + "[]" + closing * (MAX_JSON_DEPTH - 1)).encode())
    assert refusal(opening * MAX_JSON_DEPTH + "[]" + closing * MAX_JSON_DEPTH) == [("", "TOO_DEEP")]


@pytest.mark.contract("B3")
def test_brackets_in_texts_are_not_nesting():
    """Also behind an escaped quotation mark."""
    text = r"\"" + "[" * 1_000
    assert read_json(f'["{text}"]'.encode()) == ['"' + "[" * 1_000]


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"a":' * 20_000,
        b'"' + rb"\"" * 50_000,
        b'"' * 100_001,
        b'["' + b"\\" * 100_001,
        b"[" + b"1" * 100_000 + b"]",
        b"[0." + b"1" * 100_000 + b"]",
        b"[" + b" " * 100_000,
        b"\n" * 100_000 + b"x",
        b"[" + b'"\\u0000",' * 11_000 + b"1]",
        b"{" + b'"a":1,' * 16_000 + b'"a":1}',
    ],
    ids=[
        "arrays", "objects", "escapes", "quotes", "backslashes", "integer", "fraction", "blanks", "lines", "nul", "keys"
    ],
)  # fmt: skip
def test_a_hostile_body_costs_no_more_than_its_length(data):
    """100 KB of each kind are refused in milliseconds; quadratic work takes minutes."""
    started = time.thread_time()
    assert refusal(data)
    assert time.thread_time() - started < 5
