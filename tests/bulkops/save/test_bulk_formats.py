"""Bulk saves of NDJSON and CSV: the service reads what it answers."""

import csv
import io
import json
from typing import Any

import pytest

from tests.account.samples import FULL
from tests.bulkops.save.bulk import DIMENSIONS, element, elements, ids, path, places, refused, save, without
from tests.dimensions import MODELS
from tests.factories import FULLS, MAKERS, account, content, currency, read

pytestmark = pytest.mark.contract("K3")

NDJSON, CSV = "application/x-ndjson", "text/csv"
each_format = pytest.mark.parametrize("format", [NDJSON, CSV])
each_dimension = pytest.mark.parametrize("dimension", DIMENSIONS)
COUNTS = ("X-Created", "X-Changed", "X-Unchanged")


def answered(person, dimension, format: str) -> bytes:
    """The list of all elements in a format."""
    return content(person.get(path(person, dimension, "elements"), headers={"accept": format}))


def post(person, dimension, format: str, body: bytes, query: str = "", **headers: str) -> Any:
    """The answer to a bulk save in a format."""
    address = path(person, dimension) + query
    return person.post(address, body, content_type=format, headers={k.replace("_", "-"): v for k, v in headers.items()})


def counts(response: Any) -> list[int]:
    assert response.status_code == 200, content(response)[:2_000]
    content(response)  # read to its end, so that its file is closed
    return [int(response[name]) for name in COUNTS]


def lines(*elements: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in elements)


def rows(*cells: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(cells)
    return text.getvalue().encode()


def varied(dimension: str) -> list[dict[str, Any]]:
    """Elements with everything, with little, and with what a table must write in a notation of its own."""
    make = MAKERS[dimension]
    odd = {"en": "=1+1", "de": None, "it": 'two\nlines, "quoted"', "fr": ""}
    return [FULLS[dimension], make("few"), make("Ä b/ü"), make("odd", descriptions=odd)]


# --- What is answered is read ------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_cells_of_a_table_are_separated_by_commas_semicolons_or_tabs(alice, separator):
    body = separator.join(["id", "descriptions.en"]) + "\n" + separator.join(["1000", "Cash"]) + "\n"
    save(alice, "account", post=[account("1000")])
    assert counts(post(alice, "account", CSV, body.encode())) == [0, 0, 1]
    assert counts(post(alice, "account", CSV, body.replace("Cash", "Bank").encode())) == [0, 1, 0]


@pytest.mark.contract("H4", "K2")
@each_format
@each_dimension
@pytest.mark.parametrize("mode", ["", "?mode=merge", "?mode=put"])
def test_what_a_list_answers_is_read_as_unchanged(alice, dimension, format, mode):
    """In both formats, and whether it is merged or put."""
    save(alice, dimension, post=varied(dimension))
    before = elements(alice, dimension)

    assert counts(post(alice, dimension, format, answered(alice, dimension, format), mode)) == [0, 0, len(before)]
    assert elements(alice, dimension) == before


@pytest.mark.contract("H4", "K2")
@each_format
@each_dimension
@pytest.mark.parametrize("mode", ["merge", "put", "post"])
def test_what_a_list_answers_makes_the_same_elements(alice, dimension, format, mode):
    """In an empty repository, with every mode."""
    save(alice, dimension, post=varied(dimension))
    before = elements(alice, dimension)
    body = answered(alice, dimension, format)
    MODELS[dimension].objects.all().delete()

    assert counts(post(alice, dimension, format, body, f"?mode={mode}")) == [len(before), 0, 0]
    assert [without(each) for each in elements(alice, dimension)] == [without(each) for each in before]


@pytest.mark.contract("E3", "K2")
@each_format
def test_the_answer_is_that_of_a_json_body(alice, format):
    """The saved accounts in the order of the body, SUCCESS for currencies, and what the client prefers."""
    save(alice, "account", post=[account("2"), account("1"), account("3")])
    body = answered(alice, "account", format)
    first, *others = body.splitlines(keepends=True)
    turned = b"".join([first, *others[::-1]] if format == CSV else [*others[::-1], first])

    response = post(alice, "account", format, turned)
    assert ids(read(response)) == ["3", "2", "1"]
    response = post(alice, "account", format, turned, prefer="return=minimal")
    assert (read(response), response["Preference-Applied"]) == ({"code": "SUCCESS"}, "return=minimal")

    save(alice, "currency", post=[currency()])
    response = post(alice, "currency", format, answered(alice, "currency", format))
    assert read(response) == {"code": "SUCCESS"}


# --- Modes -------------------------------------------------------------------------------------


@pytest.mark.contract("C15")
def test_lines_are_merged_unless_they_are_put_or_posted(alice):
    """By the query parameter; blank lines are nothing."""
    save(alice, "account", post=[FULL])
    body = b"\n" + lines(account(FULL["id"])) + b" \r\n"

    assert counts(post(alice, "account", NDJSON, lines({"id": FULL["id"], "documentationLink": "x"}))) == [0, 1, 0]
    assert without(element(alice, "account", FULL["id"])) == FULL | {"documentationLink": "x"}
    assert counts(post(alice, "account", NDJSON, body, "?mode=put")) == [0, 1, 0]
    assert element(alice, "account", FULL["id"])["documentationLink"] is None
    assert places(refused(post(alice, "account", NDJSON, body, "?mode=post"))) == [("/1/id", "ALREADY_EXISTS")]


@pytest.mark.contract("C15", "H4")
def test_columns_that_a_table_has_not_stay_unless_it_is_put(alice):
    """An empty cell clears its field, as in an import."""
    save(alice, "account", post=[account("1", documentationLink="x", customAttributes={"a": "1", "b": "2"})])
    few = rows(["id", "customAttributes.a"], ["1", ""])
    all_required = rows(
        ["id", "descriptions.en", "nature", "type", "conversion.conversionType"],
        ["1", "Text", "BALANCE_SHEET", "NORMAL", "FINAL"],
    )

    assert counts(post(alice, "account", CSV, few)) == [0, 1, 0]
    stored = element(alice, "account", "1")
    assert (stored["documentationLink"], stored["customAttributes"]) == ("x", {"b": "2"})
    assert counts(post(alice, "account", CSV, all_required, "?mode=put")) == [0, 1, 0]
    stored = element(alice, "account", "1")
    assert (stored["documentationLink"], stored["customAttributes"]) == (None, None)
    assert stored["descriptions"] == {"en": "Text"}
    assert places(refused(post(alice, "account", CSV, all_required, "?mode=post"))) == [
        ("line 2, id", "ALREADY_EXISTS")
    ]


@pytest.mark.contract("C15")
@pytest.mark.parametrize(("query", "stays"), [("", False), ("?emptyCells=clear", False), ("?emptyCells=keep", True)])
def test_an_empty_cell_clears_its_field_or_leaves_it_alone(alice, query, stays):
    """In a merge; maps and fields with a default too."""
    before = account(
        "1", descriptions={"en": "Cash", "it": "Cassa"}, documentationLink="L", dataEntryAndReporting={"class": "ASSET"}
    )
    save(alice, "account", post=[before])
    columns = ["id", "descriptions.en", "descriptions.it", "documentationLink", "dataEntryAndReporting.class"]
    body = rows(columns, ["1", "Bank", "", "", ""], ["2", "New", "", "", ""])
    new = rows(
        ["id", "descriptions.en", "nature", "type", "conversion.conversionType", "documentationLink"],
        ["2", "New", "BALANCE_SHEET", "NORMAL", "FINAL", ""],
    )

    assert counts(post(alice, "account", CSV, new, f"{query or '?'}&mode=post")) == [1, 0, 0]
    assert counts(post(alice, "account", CSV, body, query)) == [0, 1, 1]

    now = element(alice, "account", "1")
    assert now["descriptions"] == {"en": "Bank"} | ({"it": "Cassa"} if stays else {})
    assert now["documentationLink"] == ("L" if stays else None)
    assert now["dataEntryAndReporting"]["class"] == ("ASSET" if stays else "NONE")
    assert element(alice, "account", "2")["documentationLink"] is None


@pytest.mark.contract("C14")
def test_an_empty_cell_of_a_put_sets_the_default(alice):
    """It replaces the whole element, so that nothing can be left alone."""
    save(alice, "account", post=[account("1", documentationLink="L")])
    body = rows(
        ["id", "descriptions.en", "nature", "type", "conversion.conversionType", "documentationLink"],
        ["1", "Cash", "BALANCE_SHEET", "NORMAL", "FINAL", ""],
    )
    report = refused(post(alice, "account", CSV, body, "?mode=put&emptyCells=keep"))
    assert places(report) == [("emptyCells", "INVALID")]
    assert counts(post(alice, "account", CSV, body, "?mode=put")) == [0, 1, 0]
    assert element(alice, "account", "1")["documentationLink"] is None


@pytest.mark.contract("A7", "B1")
@pytest.mark.parametrize(
    ("format", "query", "expected"),
    [
        (NDJSON, "?mode=patch", [("mode", "INVALID")]),
        (NDJSON, "?emptyCells=keep", [("emptyCells", "UNKNOWN_PARAMETER")]),
        (CSV, "?emptyCells=no", [("emptyCells", "INVALID")]),
        ("application/json", "?emptyCells=keep", [("emptyCells", "UNKNOWN_PARAMETER")]),
        (
            CSV,
            "?mode=&dryRun=yes&saveMode=strict",
            [("dryRun", "INVALID"), ("mode", "INVALID"), ("saveMode", "INVALID")],
        ),
        ("application/json", "?mode=put", [("mode", "UNKNOWN_PARAMETER")]),
        (
            "application/json",
            "?saveMode=STRICT&mood=1",
            [("mood", "UNKNOWN_PARAMETER"), ("saveMode", "UNKNOWN_PARAMETER")],
        ),
    ],
)
def test_a_parameter_that_is_wrong_is_refused(alice, format, query, expected):
    """With the values that it takes; a JSON body says it itself."""
    right = {NDJSON: lines(currency()), CSV: b"id,descriptions.en,decimalNumbers,percentageDifference\nEUR,Euro,2,0\n"}
    response = post(alice, "currency", format, right.get(format, b'{"post": []}'), query)
    assert places(refused(response)) == expected


@pytest.mark.contract("B3")
def test_another_media_type_is_refused_with_those_that_are_read(alice):
    """All three."""
    response = post(alice, "currency", "text/plain", b"id")
    assert response.status_code == 415
    for name in ("application/json", NDJSON, CSV):
        assert name in response.json()["detail"]


# --- Errors ------------------------------------------------------------------------------------


@pytest.mark.contract("B1", "E2")
def test_errors_of_lines_have_the_index_of_their_line(alice):
    """All of them, and nothing is saved."""
    sent = [currency("A"), currency("B", decimalNumbers="x", colour=1), currency("A"), 5]

    report = refused(post(alice, "currency", NDJSON, b"\n" + lines(*sent)))

    assert places(report) == [
        ("/2/colour", "UNKNOWN_MEMBER"),
        ("/2/decimalNumbers", "INVALID"),
        ("/3/id", "REPEATED"),
        ("/4", "INVALID"),
    ]
    assert "/1/id" in report["errors"][2]["message"]
    assert elements(alice, "currency") == []


@pytest.mark.contract("B3")
def test_lines_that_are_not_json_are_reported_each(alice):
    """With the number of the line, and the column in it."""
    body = lines(currency("A")) + b'{"id":\n{"id": "B"} {"id": "C"}\n' + lines(currency("D")) + b"["

    report = refused(post(alice, "currency", NDJSON, body))

    assert places(report) == [("/1", "INVALID_JSON"), ("/2", "INVALID_JSON"), ("/4", "INVALID_JSON")]
    assert [error["message"].partition(" at column")[0] for error in report["errors"]] == [
        "Line 2 is not valid JSON",
        "Line 3 is not valid JSON",
        "Line 5 is not valid JSON",
    ]


@pytest.mark.contract("B1", "B3")
@each_format
def test_the_refusal_of_empty_lines_says_what_the_format_expects(alice, format):
    """No JSON array."""
    expected = "one JSON object on each line" if format == NDJSON else "a line of headings and rows"
    assert f"{expected} is expected." in refused(post(alice, "account", format, b"\n\n"))["detail"]


@pytest.mark.contract("B1", "E2")
def test_errors_of_a_table_have_line_and_column(alice):
    """As in the report of an import, with the heading as it was sent."""
    body = rows(
        ["id", "description", "decimalNumbers", "percentageDifference"],
        ["A", "One", "2", "0"],
        ["B", "Two", "two", "0"],
        ["A", "One", "2", "0"],
        ["C", "Three"],
    )

    report = refused(post(alice, "currency", CSV, body))

    assert places(report) == [
        ("line 3, decimalNumbers", "INVALID"),
        ("line 4, id", "REPEATED"),
        ("line 5", "INVALID_ROW"),
    ]
    assert report["errors"][0]["id"] == "B"
    assert elements(alice, "currency") == []


@pytest.mark.contract("E2")
@each_format
def test_a_strict_save_checks_references(alice, format):
    """By the query parameter, as a JSON body names it."""
    body = {
        NDJSON: lines(
            currency("A", referenceCurrency={"id": "B"}), currency("B"), currency("C", referenceCurrency={"id": "gone"})
        ),
        CSV: rows(
            ["id", "description", "decimalNumbers", "percentageDifference", "referenceCurrency.id"],
            ["A", "One", "2", "0", "B"],
            ["B", "Two", "2", "0", ""],
            ["C", "Three", "2", "0", "gone"],
        ),
    }[format]

    (error,) = refused(post(alice, "currency", format, body, "?saveMode=STRICT"))["errors"]
    assert error["path"] == {NDJSON: "/2/referenceCurrency/id", CSV: "line 4, referenceCurrency.id"}[format]
    assert error["code"] == "UNKNOWN_REFERENCE"
    assert "saveMode LOOSE" in error["message"]
    assert counts(post(alice, "currency", format, body)) == [3, 0, 0]


@pytest.mark.contract("E1")
@each_format
def test_a_body_has_as_many_elements_as_the_setting_allows(alice, format, settings):
    """As a JSON body."""
    save(alice, "currency", post=[currency(f"{number}") for number in range(3)])
    body = answered(alice, "currency", format)
    settings.API_MAX_BULK_ELEMENTS = 3
    assert counts(post(alice, "currency", format, body)) == [0, 0, 3]
    settings.API_MAX_BULK_ELEMENTS = 2
    assert places(refused(post(alice, "currency", format, body))) == [("", "TOO_MANY_ELEMENTS")]
