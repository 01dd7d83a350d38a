"""The body that names the elements to delete: its ids are found, and every error is reported by its pointer."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bulkops.session.envelope import read_ids
from dimensions_site.api.errors import MAX_FAILURES, Problem
from tests.strategies import characters, json_values

pytestmark = pytest.mark.contract("F1")

ids = st.text(characters, min_size=1, max_size=128)


def read(body: object) -> list[str]:
    """Read a list; anything but text is written as JSON."""
    return read_ids(bytearray((body if isinstance(body, str) else json.dumps(body)).encode()))


def refusal(body: object) -> Problem:
    with pytest.raises(Problem) as error:
        read(body)
    assert error.value.status_code == 400
    return error.value


def errors(body: object) -> list[tuple[str, str]]:
    """Path and code of each failure."""
    return [(failure.path, failure.code) for failure in refusal(body).failures]


@given(st.lists(ids, min_size=1, max_size=6), st.booleans())
def test_the_ids_are_read_each_once_and_in_their_order(names, ascii_only):
    """However they are escaped, and whether or not an element could have them."""
    body = json.dumps([{"id": name} for name in names], ensure_ascii=ascii_only)
    assert read(body) == list(dict.fromkeys(names))


@pytest.mark.parametrize("id", [":", "::", "{", "}{", '"', "\\", "\u007f", ".", " a ", "\n", "😀" * 128, "\\u003a"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_no_letter_is_taken_for_a_part_of_the_list(id, ascii_only):
    """An id that no element can have is merely not found."""
    assert read(json.dumps([{"id": id}, {"id": "b"}], ensure_ascii=ascii_only)) == [id, "b"]
    assert read(json.dumps([{"id": id}], ensure_ascii=ascii_only).replace(":", "\\u003a").replace('id"\\u003a', 'id":'))


@pytest.mark.parametrize("body", ["{}", "null", '"EUR"', "1", '{"id": "EUR"}', '{"ids": [{"id": "EUR"}]}'])
def test_anything_but_an_array_is_refused(body):
    assert errors(body) == [("", "INVALID")]
    assert f"; got {body}." in refusal(body).failures[0].message


@pytest.mark.parametrize("body", ["[]", " [ ] "])
def test_an_empty_list_is_refused(body):
    """An empty list can only be an error."""
    assert errors(body) == [("", "REQUIRED")]


@pytest.mark.contract("B1", "B3")
def test_every_error_is_reported_by_its_pointer():
    """With the value and what is expected; valid items are between the others."""
    items = [
        '{"id": "a"}',
        '{"id": 1}',
        "5",
        "null",
        '["a"]',
        '"a"',
        '{"id": "b"}',
        '{"id": ""}',
        '{"id": null}',
        "{}",
        '{"id": "a", "oid": "x", "name": "y"}',
        '{"Id": "a"}',
        '{"id": "a", "id": "b"}',
        r'{"id": "a", "id": "\u003a"}',
        r'{"id": "a\u0000"}',
        f'{{"id": "{"x" * 129}"}}',
        '{"id": [[[' + "[" * 60 + "]" * 60 + "]]]}",
        '{"id": 1e999}',
    ]
    problem = refusal(f"[{','.join(items)}]")
    found = [(failure.path, failure.code) for failure in problem.failures]
    assert found == [
        ("/1/id", "INVALID"),
        ("/2", "INVALID"),
        ("/3", "INVALID"),
        ("/4", "INVALID"),
        ("/5", "INVALID"),
        ("/7/id", "INVALID"),
        ("/8/id", "NULL"),
        ("/9/id", "REQUIRED"),
        ("/10/oid", "UNKNOWN_MEMBER"),
        ("/10/name", "UNKNOWN_MEMBER"),
        ("/11/Id", "UNKNOWN_MEMBER"),
        ("/11/id", "REQUIRED"),
        ("/12/id", "DUPLICATE_KEY"),
        ("/13/id", "DUPLICATE_KEY"),
        ("/14/id", "INVALID_CHARACTER"),
        ("/15/id", "INVALID"),
        ("/16", "TOO_DEEP"),
        ("/17/id", "INVALID_NUMBER"),
    ]
    assert problem.failure_count == len(found)
    assert problem.failures[0].message == "id must be a string, not the number 1."


@pytest.mark.contract("B1")
def test_a_thousand_errors_are_listed_and_all_are_counted():
    problem = refusal([{"id": number} for number in range(MAX_FAILURES + 500)])
    assert len(problem.failures) == MAX_FAILURES
    assert problem.failures[-1].path == f"/{MAX_FAILURES - 1}/id"
    assert problem.failure_count == MAX_FAILURES + 500


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('[{"id": "a"}', "INVALID_JSON"),
        ('[{"id": "a"},]', "INVALID_JSON"),
        ('[{"id": "a"}] []', "INVALID_JSON"),
        ("[" * 100_000, "TOO_DEEP"),
        ('{"id":' * 100_000, "TOO_DEEP"),
        (r'[{"id": "\ud800"}]', "INVALID_CHARACTER"),
    ],
)
def test_what_is_not_json_is_refused_as_a_whole(body, code):
    assert errors(body) == [("", code)]


def test_as_many_items_are_read_as_the_setting_allows(settings):
    """Braces within ids do not count; the sentence names the limit."""
    settings.API_MAX_BULK_ELEMENTS = 3
    assert read([{"id": "{{{{"}, {"id": "b"}, {"id": "c"}]) == ["{{{{", "b", "c"]
    for body in ([{"id": "a"}] * 4, [1] * 4):
        assert errors(body) == [("", "TOO_MANY_ELEMENTS")]
        assert "more than 3" in refusal(body).failures[0].message


def test_the_largest_list_is_read_well_below_a_second():
    """A hundred thousand ids of many scripts, escaped as most programs write them."""
    names = [f"Ü:现{number}" for number in range(100_000)]
    body = bytearray(json.dumps([{"id": name} for name in names]).encode())
    start = time.process_time()
    assert read_ids(body) == names
    assert time.process_time() - start < 1


@pytest.mark.contract("B3")
@given(st.lists(json_values | st.fixed_dictionaries({"id": json_values | ids}), max_size=5))
def test_any_list_is_read_or_refused_with_what_is_wrong(values):
    """What is read is exactly the ids; what is refused has an error in each wrong item."""
    good = [
        value["id"]
        for value in values
        if isinstance(value, dict)
        and set(value) == {"id"}
        and isinstance(value["id"], str)
        and 1 <= len(value["id"]) <= 128
    ]
    if values and len(good) == len(values):
        assert read(values) == list(dict.fromkeys(good))
    else:
        assert len({path.split("/")[1] for path, _ in errors(values) if path}) == len(values) - len(good)
