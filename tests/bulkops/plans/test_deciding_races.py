"""Decisions, applications and switches at the same time: one comes first, and the others find what it has done."""

from collections.abc import Callable, Sequence
from functools import partial
from threading import Barrier
from typing import Any

import pytest

from account.models import Account
from bulkops.models import Plan
from dimensions_site.changes.models import ChangeSet
from dimensions_site.changes.requirements import set_approval
from dimensions_site.repositories.models import Repository, Role
from tests.beside import beside
from tests.bulkops.plans.deciding import EVERYTHING, NOTHING, approved, require_approval, somebody
from tests.bulkops.plans.plans import make, one
from tests.factories import Person, account, add_person, content, read
from tests.lengths import IS_LONG
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("O3", "O2")]

TIMES = 50 if IS_LONG else 6


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls at the same time, return what they return."""
    together = Barrier(len(calls), timeout=20)

    def run(call: Callable[[], Any]) -> Any:
        together.wait()
        return call()

    return [each.result() for each in [beside(partial(run, call)) for call in calls]]


@pytest.fixture
def pia(northwind: Repository) -> Person:
    store_accounts(northwind, account("1"))
    return add_person("pia", northwind, Role.PROPOSER)


@pytest.fixture
def editors(northwind: Repository) -> Sequence[Person]:
    """Two, each with a client that is used in one thread."""
    return [somebody(name, northwind, Role.EDITOR) for name in ("ann", "bea")]


def plan_of(pia: Person, id: str) -> dict[str, Any]:
    patch = {"key": {"id": "1"}, "data": {"documentationLink": id}}
    return make(pia, "account", bulk={"post": [account(id)], "patch": [patch]})


def sends(person: Person, plan: dict[str, Any], do: str) -> Callable[[], tuple[int, str]]:
    """A call that names the plan as it is now; it returns the status, and the status of the plan or the code."""
    path = one(person, "account", plan)
    etag = person.get(path)["ETag"]
    body = "" if do == "/apply" else {"text": "x"}

    def call() -> tuple[int, str]:
        answer = person.send("DELETE", path) if do == "" else person.send("POST", path + do, body, if_match=etag)
        if answer.status_code == 204:
            return 204, ""
        found = read(answer)
        return answer.status_code, found["status"] if answer.status_code == 200 else found["code"]

    return call


@pytest.mark.parametrize(
    ("first", "second", "outcomes"),
    [
        (
            *("/approve", "/reject"),
            {
                ((200, "APPROVED"), (409, "PLAN_APPROVED")),
                ((200, "APPROVED"), (412, "PRECONDITION_FAILED")),
                ((409, "PLAN_REJECTED"), (200, "REJECTED")),
            },
        ),
        (
            *("/approve", "/approve"),
            {
                ((200, "APPROVED"), (409, "PLAN_APPROVED")),
                ((200, "APPROVED"), (412, "PRECONDITION_FAILED")),
                ((409, "PLAN_APPROVED"), (200, "APPROVED")),
                ((412, "PRECONDITION_FAILED"), (200, "APPROVED")),
            },
        ),
        (
            *("/apply", "/reject"),
            {
                ((200, "APPLIED"), (409, "PLAN_APPLIED")),
                ((409, "PLAN_REJECTED"), (200, "REJECTED")),
            },
        ),
        (
            *("/approve", ""),
            {((200, "APPROVED"), (204, "")), ((404, "PLAN_NOT_FOUND"), (204, ""))},
        ),
    ],
    ids=["approve and reject", "two approvers", "apply and reject", "approve and delete"],
)
def test_of_two_at_once_one_is_first(pia, editors, first, second, outcomes):
    """The other answers with what it found; never both, never something in between."""
    ann, bea = editors
    for number in range(TIMES):
        plan = plan_of(pia, f"{number}-9")
        answers = tuple(at_once(sends(ann, plan, first), sends(bea, plan, second)))
        assert answers in outcomes
        found = Plan.objects.filter(pk=plan["planId"]).first()
        if found is not None and found.status in ("APPROVED", "REJECTED"):
            decided = {"ann": (200, "APPROVED"), "bea": (200, found.status)}
            assert answers[("ann", "bea").index(found.decided_by or "")] == decided[found.decided_by or ""]
        is_written = Account.objects.filter(element_id=f"{number}-9").exists()
        assert is_written == (found is not None and found.status == "APPLIED")


def test_an_approval_beside_a_change_of_its_elements(pia, editors, alice):
    """The plan is approved and then outdated when it is applied, or is not approved; its change is never lost."""
    ann, bea = editors
    for number in range(TIMES):
        plan = plan_of(pia, f"{number}-9")
        link = f"theirs-{number}"

        def change(link: str = link) -> int:
            return int(alice.send("PATCH", alice.account("elements/1"), {"documentationLink": link}).status_code)

        (status, said), changed = at_once(sends(ann, plan, "/approve"), change)
        assert (changed, (status, said)) in [(200, (200, "APPROVED")), (200, (409, "PLAN_OUTDATED"))]
        assert sends(bea, plan, "/apply")() == (409, "PLAN_OUTDATED")
        assert Plan.objects.get(pk=plan["planId"]).status == "OUTDATED"
        assert Account.objects.get(element_id="1").documentation_link == link


def test_the_switch_beside_a_bulk_save(northwind, alice):
    """What is committed before the switch is there, what is not is refused; after the switch nothing comes."""
    for number in range(TIMES):
        set_approval(northwind, "account", NOTHING)
        ids = [f"{number}-{position}" for position in range(20)]

        def save(ids: Sequence[str] = ids) -> int:
            answer = alice.send("POST", alice.account("elements-bulk"), {"post": [account(id) for id in ids]})
            content(answer)
            return int(answer.status_code)

        def throw() -> int:
            set_approval(northwind, "account", EVERYTHING)
            return ChangeSet.objects.count()

        status, count = at_once(save, throw)
        assert status in (200, 403)
        assert Account.objects.filter(element_id__in=ids).count() == (20 if status == 200 else 0)
        assert ChangeSet.objects.count() == count


def test_two_who_apply_an_approved_plan(northwind, pia, editors):
    """It is applied once, with one change set and its approval."""
    require_approval(northwind)
    plan = approved(editors[0], "account", plan_of(pia, "9"))
    answers = at_once(*(sends(person, plan, "/apply") for person in editors))
    assert sorted(answers)[0] == (200, "APPLIED")
    assert sorted(answers)[1] in [(409, "PLAN_APPLIED"), (412, "PRECONDITION_FAILED")]
    assert ChangeSet.objects.get(operation=plan["planId"]).approved_by == "ann"
