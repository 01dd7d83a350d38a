"""What the body of a refusal says, exactly."""

import pytest

from tests.factories import account

pytestmark = pytest.mark.contract("B1")


def problem(response):
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert body.pop("requestId") == response["X-Request-ID"]
    return body


def test_an_unknown_element_in_full(alice):
    """The members of RFC 9457, code and requestId, and nothing else."""
    assert problem(alice.get(alice.currency("elements/XYZ"))) == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is no currency 'XYZ' in repository 'northwind'.",
        "code": "ELEMENT_NOT_FOUND",
    }


@pytest.mark.contract("C5", "C7", "C10")
def test_every_failure_of_a_body_is_reported_at_once(alice):
    """Unknown members, missing and wrong values, at any depth, each by its wire path."""
    wrong = account(
        nature="NATURE",
        surprise=1,
        descriptions={"en": "Cash", "english": "Cash", "de": 7},
        conversion={"conversionType": None, "surprise": 1},
        dataEntryAndReporting={"icManagement": "true", "validity": {"startDate": "tomorrow"}},
        rules={"accrual": {"debitAccrual": {"id": 1}}},
        cashFlowPlanning={"other": {"credit": []}},
    )
    body = problem(alice.send("POST", alice.account(), wrong))
    assert (body["status"], body["code"], body["errorCount"]) == (400, "INVALID_REQUEST", 10)
    assert {error["path"] for error in body["errors"]} == {
        "nature",
        "surprise",
        "descriptions.english",
        "descriptions.de",
        "conversion.conversionType",
        "conversion.surprise",
        "dataEntryAndReporting.icManagement",
        "dataEntryAndReporting.validity.startDate",
        "rules.accrual.debitAccrual.id",
        "cashFlowPlanning.other.credit",
    }
    assert "10 errors" in body["detail"]
    assert alice.get(alice.account("elements-count")).json() == 0


def test_every_failure_of_a_query_string_is_reported_at_once(alice):
    """Unknown parameters, each error of filter and sort, and those of paging and properties, in one response."""
    query = {
        "colour": "green",
        "filter": "x==1;id=like=A;decimalNumbers==a",
        "sort": "y,z",
        "skip": "-1",
        "take": "all",
        "properties": "w",
    }
    errors = problem(alice.get(alice.currency("elements-fetch"), query))["errors"]
    assert [(error["path"], error["code"]) for error in errors] == [
        ("colour", "UNKNOWN_PARAMETER"),
        ("properties", "UNKNOWN_FIELD"),
        ("filter", "UNKNOWN_FIELD"),
        ("filter", "INVALID_VALUE"),
        ("sort", "UNKNOWN_FIELD"),
        ("sort", "UNKNOWN_FIELD"),
        ("skip", "INVALID_VALUE"),
        ("take", "INVALID_VALUE"),
    ]


@pytest.mark.contract("D4")
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"filter": "updateInfo.date==yesterday"}, ["updateInfo.date", '"yesterday"', "%2B"]),
        ({"filter": "decimalNumbers=='100%s'"}, ["decimalNumbers", '"100%s"']),
        ({"filter": "preferred==%d"}, ["preferred", '"%d"', "true or false"]),
        ({"filter": "<b>==1"}, ["<"]),
        ({"sort": "50%"}, ["'50%'"]),
        ({"filter": "decimalNumber==2"}, ["'decimalNumber'", "decimalNumbers"]),
    ],
)
def test_a_message_names_field_and_value_as_they_were_sent(alice, query, named):
    """Percent signs and angle brackets have no special meaning in a message."""
    response = alice.get(alice.currency(), query)
    assert response.status_code == 400
    for part in named:
        assert part in response.json()["detail"]
