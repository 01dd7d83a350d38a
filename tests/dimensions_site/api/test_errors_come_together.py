"""The errors of the query, the headers and the body of a request are one report, and nothing is written."""

import json
from io import BytesIO

import pytest
from django.db import connection

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, Plan
from dimensions_site.repositories.models import Repository
from tests.bulkops.plans.plans import make, one
from tests.bulkops.save.bulk import refused
from tests.factories import account

pytestmark = pytest.mark.contract("B1", "A6")

HEADERS = {"Change-Reason": "%00", "Idempotency-Key": ""}
TAGGED = {"Change-Reason": "%00", "If-Match": "no tag"}
RIGHT = account("2")
WRONG = RIGHT | {"nature": "X", "colour": "red"}


@pytest.mark.parametrize(
    ("method", "rest", "headers", "right", "wrong", "errors"),
    [
        ("POST", "elements", HEADERS, RIGHT, WRONG, {"colour", "nature"}),
        ("PUT", "elements/2", TAGGED, RIGHT, WRONG, {"colour", "nature"}),
        ("PUT", "elements/1", TAGGED, RIGHT | {"id": "1"}, WRONG, {"id", "colour", "nature"}),
        ("PATCH", "elements/1", TAGGED, {"type": "DETAIL"}, {"type": None}, {"type"}),
        ("PATCH", "elements/none", TAGGED, {}, {"type": "?"}, {"type"}),
        ("POST", "elements", HEADERS, RIGHT, "{", {""}),
        ("POST", "elements-bulk", HEADERS, {"post": [RIGHT]}, {"more": 1, "post": [WRONG]},
         {"/more", "/post/0/nature", "/post/0/colour"}),
        ("POST", "elements-bulk", HEADERS, {"post": [RIGHT]}, {"post": [account("1")]}, {"/post/0/id"}),
        ("POST", "elements-bulk-delete-async", HEADERS, [{"id": "1"}], [{"id": "1"}, 5, {}], {"/1", "/2/id"}),
        ("POST", "elements-plans", HEADERS, {"snapshot": [RIGHT]}, {"snapshot": [WRONG], "maxDelete": "x"},
         {"/snapshot/0/nature", "/snapshot/0/colour", "/maxDelete"}),
    ],
)  # fmt: skip
def test_query_headers_and_body_are_refused_together(
    alice, django_capture_on_commit_callbacks, method, rest, headers, right, wrong, errors
):
    """A right body has no errors of its own, and is not saved either; no worker hears of it."""
    alice.send("POST", alice.account(), account("1"))
    others = {"more", *headers}
    kinds = (Account, AccountVersion, DataProcessing, Plan)
    before = [kind.objects.count() for kind in kinds]

    with django_capture_on_commit_callbacks() as callbacks:
        for body, found in ((right, set()), (wrong, errors)):
            report = refused(alice.send(method, f"{alice.account(rest)}?more=1", body, **headers))
            assert {error["path"] for error in report["errors"]} == others | found
            assert report["errorCount"] == len(report["errors"]) == len(others | found)

    assert [kind.objects.count() for kind in kinds] == before
    assert callbacks == []


@pytest.mark.parametrize("rest", ["elements-bulk", "elements-bulk-delete-async", "elements"])
def test_a_missing_body_is_an_error_beside_the_others(alice, rest):
    """And is not taken for an empty object."""
    report = refused(alice.send("POST", f"{alice.account(rest)}?more=1", "", **HEADERS))
    assert {error["path"] for error in report["errors"]} == {"more", "", *HEADERS}


@pytest.mark.parametrize(
    ("route", "query", "others"),
    [
        ("elements-bulk", "dryRun=x&mode=x&saveMode=x&emptyCells=x", {"dryRun", "mode", "saveMode"}),
        ("elements-plans", "scope=x&maxDelete=x&saveMode=x&replace=x&emptyCells=x", {"scope", "maxDelete", "replace"}),
    ],
)
@pytest.mark.parametrize("format", ["text/csv", "application/x-ndjson"])
def test_the_parameters_of_lines_and_tables_are_refused_with_their_rows(alice, route, query, others, format):
    row, path = json.dumps(WRONG), "/0/nature"
    if format == "text/csv":
        headings = "id,descriptions.en,nature,type,conversion.conversionType"
        row, path = f"{headings}\n2,Cash,X,NORMAL,FINAL\n", "line 2, nature"
    report = refused(alice.generic("POST", f"{alice.account(route)}?{query}", row, format))
    assert {*others, "emptyCells", path} <= {error["path"] for error in report["errors"]}
    assert len({(error["path"], error["code"]) for error in report["errors"]}) == report["errorCount"]


def test_the_number_of_errors_counts_those_that_are_not_listed(alice):
    body = {"post": [account(f"{number}", nature="X") for number in range(1_200)]}
    report = refused(alice.send("POST", f"{alice.account('elements-bulk')}?more=1", body))
    assert (report["errorCount"], len(report["errors"]), report["errors"][0]["path"]) == (1_201, 1_000, "more")


def test_a_reason_that_is_required_is_missed_with_the_errors_of_the_body(alice):
    Repository.objects.update(requires_reason=True)
    report = refused(alice.send("POST", alice.account(), WRONG))
    assert {error["path"] for error in report["errors"]} == {"Change-Reason", "nature", "colour"}


def test_a_call_without_a_body_has_its_query_and_its_headers_refused_together(alice):
    plan = make(alice, "account", snapshot=[RIGHT])
    for method, rest in (("POST", "/apply"), ("DELETE", "")):
        response = alice.send(method, f"{one(alice, 'account', plan, rest)}?more=1", "", **{"If-Match": "no tag"})
        assert {error["path"] for error in refused(response)["errors"]} == {"more", "If-Match"}
    response = alice.get(f"{alice.account('elements/1')}?more=1", headers={"If-None-Match": "no tag"})
    assert {error["path"] for error in refused(response)["errors"]} == {"more", "If-None-Match"}


class Upload(BytesIO):
    """A body that notes whether it is read within a transaction."""

    is_within = False

    def read(self, size: int | None = -1) -> bytes:
        self.is_within |= connection.in_atomic_block
        return super().read(size)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rest", ["elements", "elements-bulk", "elements-bulk-delete-async", "elements-plans"])
def test_a_slow_body_holds_no_locks(alice, rest):
    body = json.dumps([WRONG]).encode()
    upload = Upload(body)
    report = refused(
        alice.generic("POST", f"{alice.account(rest)}?more=1", body, "application/json", **{"wsgi.input": upload})
    )
    assert {"more"} < {error["path"] for error in report["errors"]}
    assert upload.tell() == len(body)
    assert not upload.is_within
