"""Bodies full of errors cost little more than good ones, whatever their size (contract B1)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.bulkops.save.bulk import refused, send
from tests.factories import account, content, json_bytes
from tests.lengths import tries
from tests.security.measuring import grows_at_most, report_of

# More elements than errors are counted.
MANY = 12_000
# Elements that are wrong in each way.
WRONG = tries(2_000, long=MANY)
# A hopeless body may take at most this many times as long as one of as many good elements, without the work of the
# database for these: up to 10,000 of them are checked closely.
MOST = 12


def _bodies(name: str, make: Callable[[int], Any]) -> Callable[[int], bytes]:
    return lambda count: json_bytes({name: [make(number) for number in range(count)]})


HOPELESS: dict[str, Callable[[int], bytes]] = {
    "empty": _bodies("post", lambda number: {}),
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
    good = json_bytes({"post": [account(f"{number}") for number in range(WRONG)]})

    def save_good() -> object:
        return content(send(alice, "account", good, "?dryRun=true"))

    for kind, body_of in HOPELESS.items():
        body = body_of(WRONG)
        reports: set[tuple[int, int, bool]] = set()

        def work(body: bytes = body, reports: set[tuple[int, int, bool]] = reports) -> None:
            reports.add(report_of(send(alice, "account", body)))

        assert grows_at_most(MOST, save_good, work), kind
        ((listed, counted, _),) = reports
        assert listed == 1_000, kind
        assert min(WRONG - 1, 10_000) <= counted <= 10_000, kind


@pytest.mark.contract("B1", "E1")
def test_the_largest_hopeless_body_costs_as_much_as_one_of_an_eighth(alice):
    """Counting stops, so that 100,000 empty elements cost what 12,000 cost."""
    small, large = (HOPELESS["empty"](count) for count in (MANY, 100_000))
    assert report_of(send(alice, "account", large)) == (1_000, 10_000, False)
    assert grows_at_most(2, lambda: send(alice, "account", small), lambda: send(alice, "account", large))


@pytest.mark.contract("B1", "F1")
def test_a_hopeless_list_to_delete_costs_as_much_as_one_of_an_eighth(alice):
    """Items that are not objects with an id; one wrong item among many good ones is still found, and named."""

    def start(items: bytes) -> Any:
        return alice.send("POST", alice.account("elements-bulk-delete-async"), items)

    small, large = (json_bytes([{"id": 1}] * count) for count in (MANY, 100_000))
    report = refused(start(large))
    assert (report["errorCount"], report["errorCountIsExact"]) == (10_000, False)
    assert "at least 10,000 errors" in report["detail"]
    assert grows_at_most(2, lambda: start(small), lambda: start(large))
    good = [{"id": f"{number}"} for number in range(MANY)]
    report = refused(start(json_bytes([*good, {"id": 1}])))
    assert [(error["path"], error["code"]) for error in report["errors"]] == [(f"/{MANY}/id", "INVALID")]
    assert (report["errorCount"], report["errorCountIsExact"]) == (1, True)
