"""What the body of a refusal says, exactly."""

import pytest

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
