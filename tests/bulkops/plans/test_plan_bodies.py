"""Plans of snapshots in NDJSON and CSV, with their options in the query."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.bulkops.plans.plans import applied, changes, counts, make
from tests.bulkops.save.bulk import DIMENSIONS, elements, path, places, refused, save
from tests.bulkops.save.test_bulk_formats import CSV, NDJSON, answered, lines
from tests.factories import MAKERS, account, json_bytes, read

pytestmark = pytest.mark.contract("K4")

each_format = pytest.mark.parametrize("format", [NDJSON, CSV])
HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType,documentationLink\n"
ROWS = "1,Bank,BALANCE_SHEET,NORMAL,FINAL,\n2,Cash,BALANCE_SHEET,NORMAL,FINAL,https://2\n"


@pytest.fixture(params=DIMENSIONS)
def dimension(request, alice):
    """A dimension with the elements 1 to 4."""
    save(alice, request.param, put=[MAKERS[request.param](id) for id in "1234"])
    return request.param


def plan(person, dimension: str, format: str, body: bytes, **options: str) -> Any:
    """The answer to the request for a plan of the snapshot."""
    address = f"{path(person, dimension, 'elements-plans')}?{urlencode(options)}"
    return person.generic("POST", address, body, format, CONTENT_TYPE=format)


def made(response: Any) -> dict[str, Any]:
    assert response.status_code == 201, response.content[:2_000]
    found: dict[str, Any] = read(response)
    return found


@each_format
def test_what_the_list_answers_is_planned_without_changes(alice, dimension, format):
    found = made(plan(alice, dimension, format, answered(alice, dimension, format)))
    assert (counts(found), found["status"], found["source"]) == ((0, 0, 4, 0), "READY", {"snapshot": 4})


@pytest.mark.parametrize("replaces", ["true", "false"])
def test_lines_are_planned_as_the_same_snapshot_in_json(alice, dimension, replaces):
    """With the same counts and the same changes of each element; applied, it is the same."""
    make_one = MAKERS[dimension]
    snapshot = [make_one("1"), make_one("2", descriptions={"en": "Another"}), make_one("5")]
    options = {"maxDelete": "50%", "reason": "Nightly", "scope": "id=in=(1,2,3,4,5)", "saveMode": "STRICT"}
    sent = made(plan(alice, dimension, NDJSON, lines(*snapshot), **options, replace=replaces))
    same = make(alice, dimension, snapshot=snapshot, **options, replace=replaces == "true")
    assert counts(sent) == counts(same) == (1, 1, 1, 2)
    assert changes(alice, dimension, sent) == changes(alice, dimension, same)
    names = ("reason", "scope", "saveMode", "source")
    assert [sent[name] for name in names] == [same[name] for name in names]
    applied(alice, dimension, sent)
    assert [one["id"] for one in elements(alice, dimension)] == ["1", "2", "5"]


@pytest.mark.parametrize(
    ("replaces", "link", "others"), [("false", None, {"de": "Kasse"}), ("true", None, {})], ids=["merge", "put"]
)
def test_a_table_is_the_complete_chart(alice, replaces, link, others):
    """An empty cell clears its field; what has no column stays, unless the rows replace."""
    make_one = MAKERS["account"]
    save(alice, "account", put=[make_one(id, documentationLink=f"https://{id}") for id in "123"])
    found = made(plan(alice, "account", CSV, f"{HEADINGS}{ROWS}".encode(), maxDelete="1", replace=replaces))
    assert counts(found) == (0, 1 + (replaces == "true"), 1 - (replaces == "true"), 1)
    applied(alice, "account", found)
    first, second = elements(alice, "account")
    assert (first["documentationLink"], second["documentationLink"]) == (link, "https://2")
    assert first["descriptions"] == {"en": "Bank", **others}


@pytest.mark.parametrize(("empty_cells", "link"), [("clear", None), ("keep", "https://1")])
def test_an_empty_cell_of_a_table_clears_its_field_or_leaves_it_alone(alice, empty_cells, link):
    save(alice, "account", put=[MAKERS["account"](id, documentationLink=f"https://{id}") for id in "12"])
    applied(alice, "account", made(plan(alice, "account", CSV, f"{HEADINGS}{ROWS}".encode(), emptyCells=empty_cells)))
    assert [one["documentationLink"] for one in elements(alice, "account")] == [link, "https://2"]


def test_the_errors_of_a_table_have_line_and_column(alice):
    """Those of its cells, and those that the making of the plan finds in a row; nothing is kept."""
    body = HEADINGS + "1,Bank,BALANCE_SHEET,NORMAL,SOMETIMES,\n2,Cash,OTHER,NORMAL,FINAL,\n1,Bank,,,,\n"
    report = refused(plan(alice, "account", CSV, body.encode()))
    assert places(report) == [
        ("line 2, conversion.conversionType", "INVALID"),
        ("line 3, nature", "INVALID"),
        ("line 4, id", "REPEATED"),
    ]
    assert read(alice.get(path(alice, "account", "elements-plans"))) == []


@each_format
@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        ("replace", "perhaps", "INVALID"),
        ("maxDelete", "some", "INVALID"),
        ("saveMode", "HARD", "INVALID"),
        ("scope", "id", "SYNTAX"),
        ("reason", "x" * 2_000, "TOO_LONG"),
        ("snapshot", "[]", "UNKNOWN_PARAMETER"),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(alice, format, option, value, code):
    body = answered(alice, "account", format) or json_bytes(account("1"))
    assert places(refused(plan(alice, "account", format, body, **{option: value}))) == [(option, code)]


@each_format
@pytest.mark.parametrize("value", ["", "TRUE", "null", "1", '"true"', "{"])
def test_only_true_and_false_are_values_of_replace(alice, format, value):
    """The message shows what came, in quotes."""
    body = answered(alice, "account", format) or json_bytes(account("1"))
    report = refused(plan(alice, "account", format, body, replace=value))
    assert report["detail"] == f"replace must be true or false; got {json.dumps(value)}."


def test_the_options_of_a_json_body_are_its_members(alice):
    report = refused(plan(alice, "account", "application/json", b'{"snapshot": []}', replace="true", scope="id==1"))
    assert places(report) == [("replace", "UNKNOWN_PARAMETER"), ("scope", "UNKNOWN_PARAMETER")]


@each_format
def test_all_wrong_options_are_refused_together(alice, format):
    """With what is wrong with the body, or with its rows."""
    options = {"replace": "perhaps", "maxDelete": "some", "saveMode": "HARD", "scope": "id", "emptyCells": "eat"}
    empty_cells = "UNKNOWN_PARAMETER" if format == NDJSON else "INVALID"
    wrong = [("emptyCells", empty_cells), *((name, "INVALID") for name in ("maxDelete", "replace", "saveMode"))]
    wrong += [("scope", "SYNTAX")]
    line, row = (b"[", ("/0", "INVALID_JSON")) if format == NDJSON else (b"X\n", ("line 1, X", "UNKNOWN_FIELD"))
    for body, error in ((b"", ("", "EMPTY_BODY")), (line, row)):
        assert {*wrong, error} <= {*places(refused(plan(alice, "account", format, body, **options)))}
