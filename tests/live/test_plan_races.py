"""Plans that are applied while others write, through real processes and threads."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from tests.bulkops.save.bulk import patch
from tests.lengths import tries
from tests.live.test_bulk_races import ACCOUNTS, Call, bulk, change, check_nothing_lost, check_order, check_whole
from tests.services.bulk_state import histories
from tests.services.service import PROJECT, Answer, Service, environment, serving
from tests.services.worker import SLOW, delete, working

WRITERS = 16
ROUNDS = 12
APPLICATIONS = tries(6, long=12)
IDS = 160
# Of a deletion, with pauses between its chunks.
FEW = 80
PLANS = f"{ACCOUNTS}-plans"

pytestmark = pytest.mark.contract("K6")


def planned(service: Service, **bulk: Any) -> tuple[str, str]:
    """The path of a new plan and its tag."""
    answer = patiently(service, PLANS, {"bulk": bulk, "maxDelete": "100%"})
    assert (answer.status, answer.json()["status"]) == (201, "READY"), answer.body
    return f"{PLANS}/{answer.json()['planId']}", answer.headers["ETag"]


def apply(service: Service, plan: tuple[str, str]) -> Answer:
    """The answer to the application of the plan, once the repository is not busy."""
    address, etag = plan
    return patiently(service, f"{address}/apply", None, **{"If-Match": etag})


def patiently(service: Service, address: str, body: Any, **headers: str) -> Answer:
    """The answer to a `POST`; it is sent again while too many wait for the repository, and nothing was saved."""
    while (answer := service.send("POST", address, body, **headers)).status == 503:
        assert answer.json()["code"] == "REPOSITORY_BUSY", answer.body
        time.sleep(0.2)
    return answer


def fill(service: Service, prefix: str, count: int = IDS) -> tuple[Call, list[str]]:
    """Create accounts with ids that begin with the prefix; return the call that did, and the ids."""
    ids = [f"{prefix}-{number:03}" for number in range(count)]
    first = bulk(f"{prefix}-first", put=ids)
    assert first.send(service).status == 200
    return first, ids


def writes(prefix: str, writer: int, ids: Sequence[str], is_over: Event) -> Iterator[Call]:
    """Single writes of random accounts by one writer, each with a mark of its own, until it is over."""
    random = Random(writer)
    for number in count():
        if is_over.is_set():
            return
        mark, id = f"{prefix}-{writer}-{number}", random.choice(ids)
        yield Call(mark, "PATCH", f"{ACCOUNTS}/{id}", change(mark), frozenset([id]), frozenset([id]))
        time.sleep(0.05)


def test_plans_beside_many_writers_are_applied_whole_or_refused(service: Service, prepared: tuple[str, str]):
    """A plan is applied when none of its accounts has changed since, and no write is lost or partly overwritten."""
    first, ids = fill(service, "beside")
    random, is_over = Random(7), Event()

    def write(writer: int) -> list[tuple[Call, Answer]]:
        return [(call, call.send(service)) for call in writes("beside", writer, ids, is_over)]

    done = [(first, Answer(200, {}, b""))]
    with ThreadPoolExecutor(WRITERS) as pool:
        running = [pool.submit(write, writer) for writer in range(WRITERS)]
        try:
            for number in range(ROUNDS):
                mark, some = f"beside-plan-{number}", random.sample(ids, 2 if number % 2 else 60)
                plan = planned(service, patch=[patch(id, **change(mark)) for id in some])
                call = Call(mark, "POST", plan[0], None, frozenset(some), frozenset(some))
                done.append((call, apply(service, plan)))
        finally:
            is_over.set()
        for each in running:
            done += each.result()

    calls, answers = [call for call, _ in done], [answer for _, answer in done]
    applied = [answer for call, answer in done if call.address.startswith(PLANS)]
    assert {answer.status for answer in applied} <= {200, 409}
    assert {answer.json()["code"] for answer in applied if answer.status == 409} <= {"PLAN_OUTDATED"}
    assert {answer.status for answer in answers} <= {200, 409}
    assert Counter(answer.status for answer in applied)[200] > 0
    found = histories(prepared[0], ids)
    check_whole(calls, answers, found)
    check_order(found)
    check_nothing_lost(calls, found)


def test_of_two_applications_of_one_plan_exactly_one_succeeds(service: Service, prepared: tuple[str, str]):
    """The other one gets 409 PLAN_APPLIED, and the plan is applied once."""
    _, ids = fill(service, "twice")
    for number in range(APPLICATIONS):
        mark = f"twice-plan-{number}"
        plan = planned(service, patch=[patch(id, **change(mark)) for id in ids])
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda _, plan=plan: apply(service, plan), range(2)))
        assert sorted(answer.status for answer in answers) == [200, 409]
        assert [answer.json()["code"] for answer in answers if answer.status == 409] == ["PLAN_APPLIED"]
    versions = histories(prepared[0], ids[:1])[ids[0]]
    assert [version.mark for version in versions] == [
        "twice-first",
        *(f"twice-plan-{number}" for number in range(APPLICATIONS)),
    ]


def test_plans_beside_a_deletion(prepared: tuple[str, str], tmp_path: Path):
    """Each id is deleted once, and a plan that has one of them is outdated: nobody brings it back by accident."""
    chunks = {"DELETION_CHUNK_SIZE": "5", **SLOW}
    with serving(*prepared, tmp_path, **chunks) as service, working(prepared[0], tmp_path, **chunks):
        _, ids = fill(service, "gone", FEW)
        plans = [
            (some, planned(service, patch=[patch(id, **change(f"gone-plan-{start}")) for id in some]))
            for start in range(0, FEW, 10)
            for some in [ids[start : start + 10]]
        ]
        deletion = delete(service, ids)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda one: apply(service, one[1]), reversed(plans)))
        outcome = deletion.ended()
        assert (outcome["status"], outcome["deleted"], outcome["notFound"]) == ("COMPLETED", FEW, [])
        assert service.send("GET", f"{ACCOUNTS}-count?filter=id=like=gone-").json() == 0
    assert {answer.status for answer in answers} <= {200, 409}
    assert {answer.json()["code"] for answer in answers if answer.status == 409} <= {"PLAN_OUTDATED"}
    for (some, _), answer in zip(reversed(plans), answers, strict=True):
        for id, versions in histories(prepared[0], some).items():
            kinds = [version.kind for version in versions]
            assert kinds == (["+", "~", "-"] if answer.status == 200 else ["+", "-"]), id


def test_plans_beside_an_import(service: Service, prepared: tuple[str, str], tmp_path: Path):
    """Either comes first, and what each has set is there: the import its text, a plan its attribute."""
    _, ids = fill(service, "imported")
    rows = "\n".join(f"{id},Imported" for id in ids)
    (tmp_path / "table.csv").write_text(f"id,alternativeDescriptions.en\n{rows}\n")
    plans = [
        (some, planned(service, patch=[patch(id, customAttributes={"plan": id}) for id in some]))
        for start in range(0, IDS, 10)
        for some in [ids[start : start + 10]]
    ]
    command = [sys.executable, str(PROJECT / "manage.py"), "import_accounts", "northwind", "table.csv"]
    answers = []
    with subprocess.Popen(command, cwd=tmp_path, env=environment(prepared[0]), stdout=subprocess.DEVNULL) as importing:
        for _, plan in plans:
            answers.append(apply(service, plan))
            time.sleep(0.2)
        assert importing.wait(60) == 0
    found = service.send("GET", f"{ACCOUNTS}?filter=id=like=imported-").json()
    stored = {element["id"]: element for element in found}
    for (some, _), answer in zip(plans, answers, strict=True):
        if answer.status == 409:
            assert [error["id"] for error in answer.json()["errors"]] == some
        else:
            assert answer.status == 200, answer.body
        for id in some:
            assert stored[id]["alternativeDescriptions"] == {"en": "Imported"}
            assert stored[id]["customAttributes"].get("plan") == (id if answer.status == 200 else None)
