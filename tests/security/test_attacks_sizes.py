"""Bodies and elements at the limits and far beyond: their cost grows linearly, and errors stay cheap."""

import gc
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from tests.bulkops.save.bulk import refused, send
from tests.factories import account, content, json_bytes

# More elements than errors are counted.
MANY = 12_000
# A hopeless body may take at most this many times as long as one of as many good elements, without the work of the
# database for these: up to 10,000 of them are checked closely.
MOST = 12


def seconds(work: Callable[[], object]) -> float:
    """The processor time that the work takes, without the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        begin = time.thread_time()
        work()
        return time.thread_time() - begin
    finally:
        gc.enable()


def takes_at_most(most: float, work: Callable[[], object]) -> bool:
    """Another process may slow the work down, but seldom three times."""
    return any(seconds(work) <= most for _ in range(3))


def report_of(response: Any) -> tuple[int, int, bool]:
    """How many errors a refusal lists and counts, and whether that is all of them."""
    report = refused(response)
    return len(report["errors"]), report["errorCount"], report["errorCountIsExact"]


def _bodies(name: str, make: Callable[[int], Any]) -> Callable[[int], bytes]:
    return lambda count: json_bytes({name: [make(number) for number in range(count)]})


HOPELESS: dict[str, Callable[[int], bytes]] = {
    "empty": _bodies("post", lambda number: {}),
    "empty replacements": _bodies("put", lambda number: {}),
    "empty patches": _bodies("patch", lambda number: {}),
    "wrong types": _bodies("post", lambda number: account(f"{number}", nature=7)),
    "long unknown members": _bodies("post", lambda number: account(f"{number}", **{"x" * 200: 1})),
    "one id": _bodies("post", lambda number: account("1")),
    "repeated keys": lambda count: b'{"post":[' + b",".join([b'{"id":"1","id":"2"}'] * count) + b"]}",
    "unknown elements": _bodies("patch", lambda number: {"key": {"id": f"{number}"}, "data": {"type": "NORMAL"}}),
    "numbers in maps": _bodies(
        "post", lambda number: account(f"{number}", customAttributes={f"{n:03}": 1 for n in range(10)})
    ),
}


@pytest.mark.contract("B1")
def test_a_hopeless_body_costs_little_more_than_a_good_one(alice):
    """For as many elements, whatever is wrong with them: the first 1,000 errors are listed, and 10,000 counted."""
    good = json_bytes({"post": [account(f"{number}") for number in range(MANY)]})
    most = MOST * seconds(lambda: content(send(alice, "account", good, "?dryRun=true")))
    for kind, body_of in HOPELESS.items():
        body = body_of(MANY)
        reports: set[tuple[int, int, bool]] = set()

        def work(body: bytes = body, reports: set[tuple[int, int, bool]] = reports) -> None:
            reports.add(report_of(send(alice, "account", body)))

        assert takes_at_most(most, work), kind
        assert reports == {(1_000, 10_000, False)}, kind


@pytest.mark.contract("B1", "E1")
def test_the_largest_hopeless_body_costs_as_much_as_one_of_an_eighth(alice):
    """Counting stops, so that 100,000 empty elements cost what 12,000 cost."""
    small, large = (HOPELESS["empty"](count) for count in (MANY, 100_000))
    assert takes_at_most(2 * seconds(lambda: send(alice, "account", small)), lambda: send(alice, "account", large))


@pytest.mark.contract("B1", "F1")
def test_a_hopeless_list_to_delete_costs_as_much_as_one_of_an_eighth(alice):
    """Items that are not objects with an id; one wrong item among many good ones is still found, and named."""

    def start(items: bytes) -> Any:
        return alice.send("POST", alice.account("elements-bulk-delete-async"), items)

    small, large = (json_bytes([{"id": 1}] * count) for count in (MANY, 100_000))
    report = refused(start(large))
    assert (report["errorCount"], report["errorCountIsExact"]) == (10_000, False)
    assert takes_at_most(2 * seconds(lambda: start(small)), lambda: start(large))
    good = [{"id": f"{number}"} for number in range(MANY)]
    report = refused(start(json_bytes([*good, {"id": 1}])))
    assert [(error["path"], error["code"]) for error in report["errors"]] == [(f"/{MANY}/id", "INVALID")]
    assert (report["errorCount"], report["errorCountIsExact"]) == (1, True)


@pytest.mark.contract("B1")
@pytest.mark.parametrize("count", [10_000, 10_001])
def test_errors_are_counted_exactly_up_to_ten_thousand(alice, count):
    """Each element has one; from the next one on there are at least that many, and the sentence says so."""
    body = json_bytes({"post": [account(f"{number}", nature=7) for number in range(count)]})
    report = refused(send(alice, "account", body))
    assert (report["errorCount"], report["errorCountIsExact"]) == (10_000, count == 10_000)
    assert ("at least 10,000 errors" in report["detail"]) == (count > 10_000)


# --- Elements at the limit and beyond ------------------------------------------------------------


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
    assert takes_at_most(12 * seconds(work(few)), work(many))


@pytest.mark.contract("C20", "C15")
def test_patches_cannot_make_an_element_larger_than_it_may_be(alice):
    """However many are sent: each is measured with what is there."""
    assert alice.send("POST", alice.account(), account("1")).status_code == 201
    path = alice.account("elements/1")
    statuses = [
        alice.send("PATCH", path, {name: {f"{prefix}-{n:04}": "x" * 900 for n in range(95)}}).status_code
        for prefix in ("aa", "bb", "cc")
        for name in ("descriptions", "alternativeDescriptions", "customAttributes")
    ]
    assert statuses.count(200) == 3
    assert set(statuses) == {200, 400}
    assert len(content(alice.get(path))) < 300_000


@pytest.mark.contract("C20", "D7")
@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson", "text/csv"])
def test_a_list_of_the_largest_elements_takes_the_memory_of_a_few(alice, northwind, accept):
    """The peak for 120 elements of 250 KB, 30 MB in all, is at most that for 30."""
    texts = {f"k{number:03}": "x" * 1_000 for number in range(200)}
    values = ACCOUNT_WIRE.serializer(context={"repository": northwind}).run_validation(account(customAttributes=texts))
    told = {"update_user": "x", "update_date": datetime(2026, 1, 1, tzinfo=UTC), "update_origin": "IMPORT"}
    Account.objects.bulk_create(
        (Account(repository=northwind, **{**values, "element_id": f"{number:03}"}, **told) for number in range(120)),
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
