"""Elements at the limit and far beyond: their cost grows linearly, and no way leads past the limit (contract C20)."""

import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from tests.bulkops.save.bulk import refused
from tests.factories import account, json_bytes
from tests.security.measuring import grows_at_most, report_of


def large(id: str, entries: int, length: int) -> dict[str, Any]:
    """An account whose attributes take that many entries of that length."""
    return account(id, customAttributes={f"k{number:06}": "x" * length for number in range(entries)})


@pytest.mark.contract("C20")
@pytest.mark.parametrize("way", ["alone", "among many"])
def test_refusing_a_map_that_is_too_large_grows_as_the_map(alice, way):
    """At twice the limit, and at as much as a body may hold: one error, and no more work than reading it takes."""

    def body_of(entries: int) -> bytes:
        element = large("1", entries, 1)
        return json_bytes(element if way == "alone" else {"post": [element]})

    def work(body: bytes) -> Callable[[], object]:
        address = alice.account("elements" if way == "alone" else "elements-bulk")
        return lambda: report_of(alice.send("POST", address, body))

    few, many = body_of(30_000), body_of(120_000)
    assert len(many) < 2 * 1024 * 1024
    for entries in (201, 400, 15_000, 120_000):
        response = alice.send("POST", alice.account(), large("1", entries, 1))
        [error] = refused(response)["errors"]
        assert (error["path"], error["code"]) == ("customAttributes", "TOO_LARGE")
        assert f"{entries:,}" in error["message"]
    # Four times as many take up to seven times as long: they do not fit into the caches of the processor.
    assert grows_at_most(12, work(few), work(many))


@pytest.mark.contract("C20", "D7")
@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson", "text/csv"])
def test_a_list_of_the_largest_elements_takes_the_memory_of_a_few(alice, northwind, accept):
    """The peak for 120 elements of 250 KB, 30 MB in all, is at most that for 30."""
    texts = {f"k{number:03}": "x" * 1_000 for number in range(200)}
    values = ACCOUNT_WIRE.declaration.run_validation(account(customAttributes=texts))
    update = {"update_user": "x", "update_date": datetime(2026, 1, 1, tzinfo=UTC), "update_origin": "IMPORT"}
    Account.objects.bulk_create(
        (Account(repository=northwind, **{**values, "element_id": f"{number:03}"}, **update) for number in range(120)),
        batch_size=20,
    )

    def peak(take: int) -> int:
        response = alice.get(alice.account(f"elements?take={take}"), headers={"Accept": accept})
        tracemalloc.start()
        try:
            length = sum(map(len, response.streaming_content))
            assert length > 190_000 * take
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(120) < max(1.2 * peak(30), 4 * 1024 * 1024)
