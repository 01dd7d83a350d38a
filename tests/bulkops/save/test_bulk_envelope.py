"""The envelope of a bulk body: the operations are found, and every error of it is reported at once."""

import json
from collections.abc import Sequence
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bulkops.session.envelope import read_envelope
from bulkops.session.items import OPERATIONS, Envelope
from dimensions_site.api.errors import Failure, Problem, bad_request
from tests.strategies import json_values

pytestmark = pytest.mark.contract("E1")


def read(body: object) -> Envelope:
    """Read an envelope; anything but text and bytes is written as JSON."""
    text = body if isinstance(body, str | bytes) else json.dumps(body)
    return read_envelope(bytearray(text.encode() if isinstance(text, str) else text))


def refusal(body: object) -> Problem:
    """The response to an invalid envelope, whether or not its elements are checked before."""
    try:
        failures = read(body).failures
    except Problem as problem:
        return problem
    assert failures
    return bad_request(failures)


def errors(body: object) -> list[tuple[str, str]]:
    """Path and code of each failure."""
    return [(failure.path, failure.code) for failure in refusal(body).failures]


def message(body: object) -> str:
    (failure,) = refusal(body).failures
    return failure.message


@given(st.dictionaries(st.sampled_from(OPERATIONS), st.lists(json_values, max_size=4), min_size=1))
def test_each_operation_gets_the_texts_of_its_elements(arrays):
    """In their order and unchanged; a missing operation has none."""
    envelope = read({"saveMode": "STRICT", **arrays})
    assert [operation.name for operation in envelope.operations] == ["post", "put", "merge", "patch"]
    for operation in envelope.operations:
        texts = cast(list[msgspec.Raw], operation.elements)
        assert [json.loads(bytes(text)) for text in texts] == arrays.get(operation.name, [])


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("body", "mode"),
    [
        ('{"post": []}', "LOOSE"),
        ('{"post": [], "saveMode": "LOOSE"}', "LOOSE"),
        ('{"saveMode": "STRICT", "post": []}', "STRICT"),
        (r'{"saveMode": "STR\u0049CT", "p\u006fst": []}', "STRICT"),
    ],
)
def test_the_save_mode_is_loose_unless_it_is_strict(body, mode):
    """Escapes mean the letters that they stand for."""
    assert read(body).save_mode == mode


@pytest.mark.contract("E2")
@pytest.mark.parametrize("mode", ["strict", "", "LOOSE ", 1, True, ["LOOSE"], {"LOOSE": 1}, "x" * 5_000])
def test_any_other_save_mode_is_refused(mode):
    """The sentence names the value, cut when it is long, and both modes."""
    body = {"saveMode": mode, "post": []}
    assert errors(body) == [("/saveMode", "INVALID")]
    assert json.dumps(mode)[:100] in message(body)
    assert "one of LOOSE, STRICT" in message(body)
    assert len(message(body)) < 250


@pytest.mark.parametrize("body", [{}, {"saveMode": "LOOSE"}])
def test_a_body_without_an_operation_is_refused(body):
    """It can only be an error."""
    assert errors(body) == [("", "REQUIRED")]
    assert "post, put, merge, patch" in message(body)


@pytest.mark.parametrize("name", ["post", "put", "patch"])
@pytest.mark.parametrize("value", [{}, "[]", 1, False, {"id": "EUR"}])
def test_an_operation_that_is_not_an_array_is_refused(name, value):
    """Null too: an operation that is not wanted is left out."""
    assert errors({name: value}) == [(f"/{name}", "INVALID")]
    assert f"{name} must be an array of elements; got {json.dumps(value)}." in message({name: value})


@pytest.mark.parametrize("body", ["[]", "null", '"post"', "1", "true", '[{"post": []}]'])
def test_a_body_that_is_not_an_object_is_refused(body):
    """The sentence names what was sent."""
    assert errors(body) == [("", "INVALID")]
    assert f"must be an object with post, put, merge or patch; got {body}." in message(body)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("pots", "post"), ("savemode", "saveMode"), ("Patch", "patch"), ("delete", "saveMode, post, put, merge, patch")],
)
def test_an_unknown_member_is_refused_with_the_nearest(name, hint):
    """A mistyped operation must not be ignored silently (contract C5)."""
    assert errors({"put": [], name: []}) == [(f"/{name}", "UNKNOWN_MEMBER")]
    assert f"'{name}'" in message({"put": [], name: []})
    assert hint in message({"put": [], name: []})


@pytest.mark.contract("B1")
@pytest.mark.parametrize(("name", "path"), [("a/b", "/a~1b"), ("~", "/~0"), ("", "/"), ("\n", "/\n"), ("\0", "/\0")])
def test_any_name_of_a_member_is_written_as_a_pointer(name, path):
    """The name of an unknown member may hold anything."""
    assert errors({"post": [], name: 1}) == [(path, "UNKNOWN_MEMBER")]


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    "body",
    [
        '{"post": [], "post": []}',
        r'{"post": [{"id": "a"}], "put": [], "p\u006fst": [{"id": "b"}]}',
        '{"post": ["::"], "post": [":"], "put": [{"a:": ":"}]}',
        '{"post": 1, "post": []}',
    ],
)
def test_a_member_that_stands_twice_is_refused(body):
    """It would be unclear which of the two is meant; colons and escapes do not hide it."""
    assert errors(body) == [("/post", "DUPLICATE_KEY")]
    assert 'the key "post" more than once' in message(body)


@pytest.mark.contract("B1")
def test_every_error_of_the_envelope_is_reported():
    """One at a time would cost the sender of a large body as many attempts."""
    body = '{"pots": 1, "saveMode": "x", "put": {}, "patch": 0, "put": 1, "saveMode": "y"}'
    assert errors(body) == [
        ("/pots", "UNKNOWN_MEMBER"),
        ("/saveMode", "DUPLICATE_KEY"),
        ("/put", "DUPLICATE_KEY"),
        ("/saveMode", "INVALID"),
        ("/put", "INVALID"),
        ("/patch", "INVALID"),
    ]
    assert refusal(body).failure_count == 6


@pytest.mark.contract("C5", "E1")
def test_null_means_absent():
    """Generated clients send every member. It is neither unknown nor an operation."""
    body = '{"post": null, "put": null, "merge": [{}], "patch": null  , "saveMode":null}'
    envelope = read_envelope(bytearray(body.encode()))
    assert [len(operation.elements) for operation in envelope.operations] == [0, 0, 1, 0]
    assert (envelope.save_mode, envelope.failures) == ("LOOSE", [])
    assert errors('{"post": null, "delete": null}') == [("/delete", "UNKNOWN_MEMBER"), ("", "REQUIRED")]
    assert errors('{"post": null, "post": null}') == [("/post", "DUPLICATE_KEY"), ("", "REQUIRED")]
    refusal('{"post": nul, "merge": []}')
    refusal('{"post": nulls, "merge": []}')


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('{"post": [{}, ]}', "INVALID_JSON"),
        (r'{"post": [{"id": "\ud800"}]}', "INVALID_CHARACTER"),
        ('{"post": [{"id":' + "[" * 100_000, "TOO_DEEP"),
        ('{"saveMode":' + "[" * 100_000, "TOO_DEEP"),
    ],
)
def test_what_is_not_json_is_refused_as_a_whole(body, code):
    """Wherever it is, within an element too."""
    assert errors(body) == [("", code)]


def test_as_many_elements_are_read_as_the_setting_allows_in_all(settings):
    """The operations count together; the sentence names the limit."""
    settings.API_MAX_BULK_ELEMENTS = 6
    envelope = read({"post": [1, 2], "put": [3, 4], "merge": [5], "patch": [6]})
    assert [len(operation.elements) for operation in envelope.operations] == [2, 2, 1, 1]
    for body in ({"post": [1] * 7}, {"post": [1] * 4, "put": [2] * 3}, {"merge": [1] * 3, "patch": [2] * 4}):
        assert errors(body) == [("", "TOO_MANY_ELEMENTS")]
        assert "more than 6" in message(body)


@pytest.mark.contract("B3")
def test_an_envelope_with_thousands_of_members_is_refused_as_such():
    """Listing each would help nobody."""
    body = {f"m{number}": 1 for number in range(2_000)}
    assert errors(body) == [("", "TOO_MANY_MEMBERS")]


@pytest.mark.contract("B3")
@given(st.text(alphabet='{}[]",:\\ postuch0123saveModeLOOSE\n', max_size=60))
def test_every_text_is_an_envelope_or_a_400(text):
    """With failures that explain the problem."""
    failures: Sequence[Failure] = ()
    envelope = None
    try:
        envelope = read(text)
    except Problem as problem:
        failures = problem.failures
    assert bool(failures) == (envelope is None)
    assert all(failure.message for failure in failures)
