"""An id that no element can have never gets into a query, however it is sent: the driver would copy it many times."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.bulkops.save.bulk import patch, path, refused
from tests.factories import Person, account, json_bytes

LONG = "a" * 129
LISTED: list[tuple[str, Any]] = [
    ("elements-bulk", {"post": [{"id": LONG}]}),
    ("elements-bulk", {"put": [account(LONG)]}),
    ("elements-bulk", {"merge": [{"id": LONG, "descriptions": {"en": "x"}}]}),
    ("elements-bulk", {"patch": [patch(LONG, type="NORMAL")]}),
    ("elements-bulk", {"put": [account("1", rules={"accrual": {"debitAccrual": {"id": LONG}}})], "saveMode": "STRICT"}),
    ("elements-plans", {"snapshot": [{"id": LONG}]}),
    ("elements-plans", {"snapshot": [account(LONG)], "replace": True}),
    ("elements-plans", {"bulk": {"delete": [{"id": LONG}]}}),
    ("elements-plans", {"bulk": {"merge": [{"id": LONG}]}}),
    ("elements-bulk-delete-async", [{"id": LONG}]),
]


@pytest.mark.contract("B1", "C19")
@pytest.mark.parametrize(("name", "body"), LISTED, ids=str)
def test_an_id_that_is_too_long_never_gets_into_a_query(alice: Person, name: str, body: Any):
    """It is an error by itself, or an unknown element, in every operation."""
    with CaptureQueriesContext(connection) as queries:
        report = refused(alice.send("POST", path(alice, "account", name), body))
    assert report["errors"]
    assert not [query["sql"] for query in queries if LONG in query["sql"]]


@pytest.mark.contract("B1", "K3")
@pytest.mark.parametrize("media_type", ["application/x-ndjson", "text/csv"])
@pytest.mark.parametrize("mode", ["post", "put", "merge"])
def test_nor_does_one_in_a_line(alice: Person, media_type: str, mode: str):
    """Of NDJSON and CSV."""
    lines = json_bytes({"id": LONG}) if media_type.endswith("ndjson") else f"id,descriptions.en\n{LONG},x\n".encode()
    with CaptureQueriesContext(connection) as queries:
        refused(alice.send("POST", f"{path(alice, 'account')}?mode={mode}", lines, **{"Content-Type": media_type}))
    assert not [query["sql"] for query in queries if LONG in query["sql"]]


@pytest.mark.contract("B1", "C20")
@pytest.mark.parametrize(
    ("name", "beginning", "end", "place"),
    [
        ("elements-bulk", '{"post": [{"id": "', '"}]}', "/post/0"),
        ("elements-bulk", '{"put": [{"id": "', '"}]}', "/put/0"),
        ("elements-bulk", '{"merge": [{"id": "', '"}]}', "/merge/0"),
        ("elements-bulk", '{"patch": [{"key": {"id": "', '"}, "data": {}}]}', "/patch/0"),
        ("elements-plans", '{"snapshot": [{"id": "', '"}]}', "/snapshot/0"),
        ("elements-plans", '{"bulk": {"delete": [{"id": "', '"}]}}', "/bulk/delete/0"),
        ("elements-plans", '{"asOf": "', '"}', "/asOf"),
        ("elements-plans", '{"snapshot": [], "scope": "', '"}', "/scope"),
        ("elements-bulk-delete-async", '[{"id": "', '"}]', "/0"),
    ],
)
def test_an_element_that_is_too_long_is_refused_by_its_length(
    alice: Person, settings: Any, name: str, beginning: str, end: str, place: str
):
    """Before anything of it is decoded."""
    body = f"{beginning}{'é' * settings.API_MAX_BODY_SIZE}{end}".encode()
    report = refused(alice.send("POST", path(alice, "account", name), body))
    assert [(error["path"], error["code"] in ("TOO_LARGE", "INVALID")) for error in report["errors"]] == [(place, True)]
    assert len(str(report)) < 2_000
