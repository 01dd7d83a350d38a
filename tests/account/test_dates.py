"""Dates and times."""

import pytest

from tests.factories import account, read


def stored(alice, start, end=None):
    """The returned validity for one that was sent."""
    payload = account(dataEntryAndReporting={"validity": {"startDate": start, "endDate": end}})
    response = alice.send("POST", alice.account(), payload)
    assert response.status_code == 201, response.content
    return read(response)["dataEntryAndReporting"]["validity"]


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("2024-02-29T13:14:15.678+0000", "2024-02-29T13:14:15.678+0000"),
        ("2024-02-29T13:14:15.6Z", "2024-02-29T13:14:15.600+0000"),
        ("2024-02-29", "2024-02-29T00:00:00.000+0000"),
        ("2024-03-01T00:30:00+0200", "2024-02-29T22:30:00.000+0000"),
        ("0001-01-01", "0001-01-01T00:00:00.000+0000"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999+0000"),
        (None, None),
    ],
)
def test_a_time_is_answered_in_one_form(alice, sent, answered):
    """Whatever form of ISO 8601 it was sent in, it is the same instant, in UTC, with milliseconds."""
    assert stored(alice, sent)["startDate"] == answered
    assert read(alice.get(alice.account("elements/1000")))["dataEntryAndReporting"]["validity"]["startDate"] == answered


@pytest.mark.contract("J1")
def test_the_moment_of_a_question_is_not_cut(alice):
    """What was committed within the rest of the millisecond would be missing."""
    response = alice.get(alice.account(), {"asOf": "2024-02-29T13:14:15.1239Z"})
    assert "has a fraction of a millisecond" in response.json()["detail"]


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    ("start", "end", "status"),
    [
        ("2024-01-01", "2024-01-01", 201),
        ("2024-01-01T00:00:00+0100", "2023-12-31T23:00:00Z", 201),
        ("2024-01-01", None, 201),
        (None, "2024-01-01", 201),
        ("2024-01-02", "2024-01-01", 400),
        ("2024-01-01T00:00:00.001Z", "2024-01-01", 400),
        ("2024-01-01T00:00:00-0100", "2024-01-01T00:30:00Z", 400),
    ],
)
def test_a_validity_does_not_end_before_it_starts(alice, start, end, status):
    """Compare them as instants; the error is at `endDate` and names both."""
    payload = account(dataEntryAndReporting={"validity": {"startDate": start, "endDate": end}})

    response = alice.send("POST", alice.account(), payload)

    assert response.status_code == status
    if status == 400:
        [error] = response.json()["errors"]
        assert error["path"] == "dataEntryAndReporting.validity.endDate"
        assert "startDate" in error["message"]
