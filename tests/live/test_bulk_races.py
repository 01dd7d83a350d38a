"""Bulk saves and single writes at the same moment, through real processes and threads."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.bulkops.save.bulk import patch
from tests.factories import account, currency
from tests.lengths import tries
from tests.services.bulk_state import Version, histories, marked, rows
from tests.services.holding_worker import HoldingWorker
from tests.services.service import Answer, Service, serving
from tests.services.worker import wait_until

ACCOUNTS = "/dimensions/v1/northwind/account/elements"
CURRENCIES = "/api/aih/dimensions/v1/northwind/currency/elements"
CALLS = 40
# The pause after a call is refused because many others wait, which is usual on a slow machine.
TRIES = 60
ROUNDS = tries(2, long=3)
IDS = 24
# Accounts of a bulk save that takes some moments.
LARGE = 10_000


@dataclass(frozen=True)
class Call:
    """A request that leaves its mark on each of its ids: on those of `merges` beside what is there, else instead."""

    mark: str
    method: str
    address: str
    body: Any
    ids: frozenset[str]
    merges: frozenset[str]

    def send(self, service: Service) -> Answer:
        """Send the request, and again while the repository is busy: nothing was saved then."""
        for _ in range(TRIES):
            answer = service.send(self.method, self.address, self.body)
            if answer.status != 503 or answer.json()["code"] != "REPOSITORY_BUSY":
                break
            time.sleep(0.5)
        return answer


def change(mark: str) -> dict[str, Any]:
    """What a patch writes: its mark, and an entry of its own beside those of others."""
    return {"documentationLink": mark, "customAttributes": {mark: "was here"}}


def bulk(
    mark: str,
    post: Sequence[str] = (),
    put: Sequence[str] = (),
    merged: Sequence[str] = (),
    patched: Sequence[str] = (),
) -> Call:
    body = {
        "post": [marked(id, mark) for id in post],
        "put": [marked(id, mark) for id in put],
        "merge": [marked(id, mark) | change(mark) for id in merged],
        "patch": [patch(id, **change(mark)) for id in patched],
    }
    ids = frozenset([*post, *put, *merged, *patched])
    return Call(mark, "POST", f"{ACCOUNTS}-bulk", body, ids, frozenset([*merged, *patched]))


def mixed_calls(turn: int, random: Random) -> Iterator[Call]:
    """Calls over the same few ids, half of which exist before: bulk saves of each kind, and single writes."""
    old = [f"race-{turn}-{number:02}" for number in range(IDS // 2)]
    new = [f"race-{turn}-{number:02}" for number in range(IDS // 2, IDS)]
    for number in range(CALLS):
        mark = f"{turn}-{number}"
        one, some, others = random.choice(old), random.sample(old, 6), random.sample(new, 4)
        match number % 9:
            case 0:
                yield bulk(mark, put=[*some, *others])
            case 1 | 2:
                yield bulk(mark, patched=some)
            case 3:
                yield bulk(mark, put=some[:3] + others[:2], patched=some[3:])
            case 4:
                yield bulk(mark, post=others[:2], patched=some)
            case 5:
                yield Call(mark, "PUT", f"{ACCOUNTS}/{one}", marked(one, mark), frozenset([one]), frozenset())
            case 6:
                yield Call(mark, "PATCH", f"{ACCOUNTS}/{one}", change(mark), frozenset([one]), frozenset([one]))
            case 7:
                yield Call(mark, "POST", ACCOUNTS, marked(others[0], mark), frozenset(others[:1]), frozenset())
            case 8:
                yield bulk(mark, merged=[*some, *others])


def check_whole(calls: Sequence[Call], answers: Sequence[Answer], found: Mapping[str, Sequence[Version]]) -> None:
    """Each call that succeeded has written each of its ids once, and no other call has written any."""
    written = Counter((version.mark, id) for id, versions in found.items() for version in versions)
    expected = Counter(
        (call.mark, id) for call, answer in zip(calls, answers, strict=True) if answer.status < 300 for id in call.ids
    )
    assert written == expected


def check_order(found: Mapping[str, Sequence[Version]]) -> None:
    """One order of all calls explains the order of the versions of every id; otherwise this raises `CycleError`."""
    order: TopologicalSorter[str] = TopologicalSorter()
    for versions in found.values():
        for before, after in pairwise(versions):
            order.add(after.mark, before.mark)
    order.prepare()


def check_nothing_lost(calls: Sequence[Call], found: Mapping[str, Sequence[Version]]) -> None:
    """Every version is what its call makes of the version before."""
    by_mark = {call.mark: call for call in calls}
    for id, versions in found.items():
        before: frozenset[str] = frozenset()
        for position, version in enumerate(versions):
            assert version.kind == ("~" if position else "+")
            kept = before if id in by_mark[version.mark].merges else frozenset()
            assert version.attributes == kept | {version.mark}
            before = version.attributes


@pytest.mark.contract("C15", "C18", "E1", "E2")
def test_calls_over_the_same_accounts_are_whole_and_in_order(service: Service, prepared: tuple[str, str]):
    """Bulk saves of each kind and single writes: no 5xx, no part of a call, one order, no change lost."""
    for turn in range(ROUNDS):
        first = bulk(f"{turn}-first", put=[f"race-{turn}-{number:02}" for number in range(IDS // 2)])
        assert first.send(service).status == 200
        calls = list(mixed_calls(turn, Random(turn)))

        with ThreadPoolExecutor(CALLS) as pool:
            answers = list(pool.map(lambda call: call.send(service), calls))

        assert {answer.status for answer in answers} <= {200, 201, 400}
        refusals = [error for answer in answers if answer.status == 400 for error in answer.json()["errors"]]
        assert {error["code"] for error in refusals} <= {"ALREADY_EXISTS"}
        calls, answers = [first, *calls], [Answer(200, {}, b""), *answers]
        found = histories(prepared[0], [f"race-{turn}-{number:02}" for number in range(IDS)])
        check_whole(calls, answers, found)
        check_order(found)
        check_nothing_lost(calls, found)
        for id, versions in found.items():
            element = service.send("GET", f"{ACCOUNTS}/{id}")
            last = versions[-1].mark if versions else None
            assert (element.json()["documentationLink"] if last else element.status) == (last or 404)


@pytest.mark.contract("C13", "E2")
def test_of_many_bulk_creations_of_the_same_ids_one_succeeds(service: Service):
    """The others learn of every id that it exists, in whatever order they name them."""
    ids = [f"made-{number}" for number in range(20)]
    bodies = [{"post": [account(id) for id in (ids if turn % 2 else reversed(ids))]} for turn in range(20)]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda body: service.send("POST", f"{ACCOUNTS}-bulk", body), bodies))

    assert Counter(answer.status for answer in answers) == {200: 1, 400: 19}
    for answer in answers:
        if answer.status == 400:
            assert [error["code"] for error in answer.json()["errors"]] == ["ALREADY_EXISTS"] * 20


@pytest.mark.contract("C15", "K1")
def test_of_many_merges_of_the_same_new_ids_one_creates_them(service: Service, prepared: tuple[str, str]):
    """The others change what it has created; all succeed, and what each has set is there."""
    ids = [f"merged-{number}" for number in range(20)]
    calls = [bulk(f"m{turn}", merged=ids if turn % 2 else ids[::-1]) for turn in range(10)]
    singles = [Call("single", "POST", ACCOUNTS, marked(ids[0], "single"), frozenset(ids[:1]), frozenset())]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda call: call.send(service), [*calls, *singles]))

    assert {answer.status for answer in answers[:-1]} == {200}
    assert answers[-1].status in (201, 400)
    assert sum(int(answer.headers["X-Created"]) for answer in answers[:-1]) == len(ids) - (answers[-1].status == 201)
    found = histories(prepared[0], ids)
    check_whole([*calls, *singles], answers, found)
    check_order(found)
    check_nothing_lost([*calls, *singles], found)


@pytest.mark.contract("C2", "C13", "C14")
def test_the_oid_of_a_currency_survives_every_race(service: Service, prepared: tuple[str, str]):
    """Bulk puts without an oid, single puts and creations with one: the first oid of each currency stays."""
    for turn in range(ROUNDS):
        ids = [f"C{turn}-{number}" for number in range(10)]
        in_bulk = [{"put": [currency(id, decimalNumbers=number) for id in ids]} for number in range(10)]
        requests: list[tuple[str, str, Any]] = [
            *(("POST", f"{CURRENCIES}-bulk", body) for body in in_bulk),
            *(("PUT", f"{CURRENCIES}/{id}", currency(id)) for id in ids),
            *(("POST", CURRENCIES, currency(id, oid=f"oid of {id}")) for id in ids),
        ]
        Random(turn).shuffle(requests)

        with ThreadPoolExecutor(len(requests)) as pool:
            answers = list(pool.map(lambda request: service.send(*request), requests))

        # Some of ten concurrent bulk saves get 503.
        assert {answer.status for answer in answers} <= {200, 201, 400, 503}
        assert {answer.json()["code"] for answer in answers if answer.status == 503} <= {"REPOSITORY_BUSY"}
        for id in ids:
            oids = rows(prepared[0], "SELECT DISTINCT oid FROM currency_currencyversion WHERE element_id = %s", id)
            assert len(oids) == 1, id


@pytest.mark.contract("E1")
def test_others_are_served_while_a_large_bulk_runs(prepared: tuple[str, str], tmp_path: Path):
    """Readers get the previous state at once; small saves get their turn, and all is stored."""
    large = {"put": [marked(f"large-{number:05}", "large") for number in range(LARGE)]}
    holding = {"GUNICORN_CMD_ARGS": "--worker-class tests.services.holding_worker.HoldingWorker"}

    with serving(*prepared, tmp_path, **holding) as service, ThreadPoolExecutor(2) as pool:
        assert service.send("POST", ACCOUNTS, marked("beside", "before")).status == 201
        running = pool.submit(service.send, "POST", f"{ACCOUNTS}-bulk", large)
        wait_until((tmp_path / HoldingWorker.HELD).exists, "It does not run")
        read = service.send("GET", f"{ACCOUNTS}/beside")
        seen = service.send("GET", f"{ACCOUNTS}-count?filter=documentationLink==large").json()
        was_running = not running.done()
        small = pool.submit(bulk("small", put=["beside", "small-1"]).send, service)
        time.sleep(0.3)  # by then it waits
        (tmp_path / HoldingWorker.RELEASED).touch()
        saved = small.result()
        single = service.send("PATCH", f"{ACCOUNTS}/beside", change("single"))
        finished = running.result()

    assert (read.status, read.json()["documentationLink"]) == (200, "before")
    assert was_running
    assert seen == 0
    assert [answer.status for answer in (saved, single, finished)] == [200] * 3
    assert len(finished.json()) == LARGE
    found = histories(prepared[0], ["beside", "small-1", "large-00000", f"large-{LARGE - 1:05}"])
    assert [[version.mark for version in versions] for versions in found.values()] == [
        ["before", "small", "single"],
        ["small"],
        ["large"],
        ["large"],
    ]
