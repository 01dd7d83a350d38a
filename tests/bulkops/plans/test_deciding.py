"""Plans are proposed, approved or rejected by a second person, and applied (contract O1, O3)."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from bulkops.models import Plan
from bulkops.plans.stored import delete_old_plans
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.bulkops.plans.deciding import (
    DELETIONS,
    NOTHING,
    approved,
    decide,
    refusal,
    require_approval,
    signed_in,
    somebody,
)
from tests.bulkops.plans.plans import applied, apply, make, one, send
from tests.bulkops.save.bulk import elements, save
from tests.dimensions import DIMENSIONS
from tests.factories import MAKERS, Person, add_person, read
from tests.storing import place_change_sets

pytestmark = pytest.mark.contract("O3")


@pytest.fixture(params=DIMENSIONS)
def dimension(request):
    return request.param


@pytest.fixture
def pia(northwind):
    """Proposer, whose program has a key."""
    return add_person("pia", northwind, Role.PROPOSER)


@pytest.fixture
def ann(northwind):
    """Editor, signed in."""
    return somebody("ann", northwind, Role.EDITOR)


@pytest.fixture
def max(northwind):
    """Manager, signed in."""
    return somebody("max", northwind, Role.MANAGER)


@pytest.fixture
def stored(alice, northwind, dimension):
    """Elements 1 to 3."""
    save(alice, dimension, put=[MAKERS[dimension](id) for id in "123"])
    place_change_sets()
    return northwind


def ids(person: Person, dimension: str) -> list[str]:
    return [element["id"] for element in elements(person, dimension)]


def new(dimension: str, id: str = "4") -> dict[str, Any]:
    return {"bulk": {"post": [MAKERS[dimension](id)]}}


@pytest.mark.contract("O1", "K4", "O5")
def test_a_proposer_proposes_a_second_person_approves_and_it_is_applied(stored, pia, ann, dimension):
    """The plan, and the change set for ever, say who did what, when, and with which words."""
    require_approval(stored)
    plan = make(pia, dimension, **new(dimension), reason="For the audit")
    assert (plan["createdBy"], plan["status"], plan["decidedBy"], plan["text"]) == ("pia", "READY", None, None)

    done = approved(ann, dimension, plan, "As discussed.")
    assert (done["decidedBy"], done["text"]) == ("ann", "As discussed.")
    result = applied(ann, dimension, plan)
    place_change_sets()

    assert ids(ann, dimension) == ["1", "2", "3", "4"]
    listed = f"elements-changesets?filter=operation=={plan['planId']}"
    [found] = read(ann.get(ann.elements(dimension, listed)))
    assert (found["id"], found["user"], found["reason"]) == (result["changeSet"], "ann", "For the audit")
    assert found["approval"] == {
        "planId": plan["planId"],
        "author": "pia",
        "proposedAt": plan["createdAt"],
        "approver": "ann",
        "approvedAt": done["decidedAt"],
        "text": "As discussed.",
    }
    lines = ann.get(ann.elements(dimension, listed), headers={"accept": "application/x-ndjson"})
    assert b'"approver":"ann"' in b"".join(lines.streaming_content)


@pytest.mark.contract("O5", "I5")
def test_change_sets_are_found_by_their_author_and_approver(stored, pia, ann, dimension):
    """What was not approved has a null."""
    applied(ann, dimension, approved(ann, dimension, make(pia, dimension, **new(dimension))))
    place_change_sets()

    for condition, count in {
        "approval.author==pia": 1,
        "approval.approver==ann": 1,
        "approval.approver=isnull=true": 1,
        "approval.approver==pia": 0,
    }.items():
        found = read(ann.get(ann.elements(dimension, f"elements-changesets?filter={condition}")))
        assert len(found) == count, condition


@pytest.mark.contract("O1")
def test_a_proposer_plans_deletions_and_withdraws_only_their_own(stored, pia, ann, dimension):
    """It writes, approves and applies nothing."""
    other = make(ann, dimension, **new(dimension))
    plan = make(pia, dimension, snapshot=[MAKERS[dimension]("1")], maxDelete=5)
    assert plan["deleted"] == 2

    assert refusal(pia.send("POST", pia.elements(dimension), MAKERS[dimension]("4"))) == (403, "ROLE_TOO_SMALL")
    assert refusal(apply(pia, dimension, plan)) == (403, "ROLE_TOO_SMALL")
    assert refusal(decide(signed_in(pia), dimension, other)) == (403, "ROLE_TOO_SMALL")
    assert refusal(pia.delete(one(pia, dimension, other))) == (403, "ROLE_TOO_SMALL")
    assert pia.delete(one(pia, dimension, plan)).status_code == 204
    assert ann.delete(one(ann, dimension, make(pia, dimension, **new(dimension)))).status_code == 204
    assert ids(pia, dimension) == ["1", "2", "3"]


@pytest.mark.contract("O1", "G2")
def test_a_key_for_reading_does_not_propose(stored, dimension, pia):
    """The highest role of a key applies to plans, too."""
    _, key = ApiKey.objects.create_key(user=pia.user, name="reads", role=Role.READER, last_used_at=timezone.now())
    client = Person(headers={"x-api-key": key})
    assert refusal(send(client, dimension, **new(dimension))) == (403, "CREDENTIAL_TOO_NARROW")


def test_who_may_not_decide(stored, pia, ann, max, dimension, contoso):
    """The author, a reader, an editor if it deletes, a key, another tenant; nothing is stored."""
    deleting = make(pia, dimension, snapshot=[MAKERS[dimension]("1")], maxDelete=5)
    own = make(ann, dimension, **new(dimension))
    _, key = ApiKey.objects.create_key(user=max.user, name="program", last_used_at=timezone.now())
    program = Person(headers={"x-api-key": key})
    bob = somebody("bob", contoso, Role.MANAGER)
    etag = ann.get(one(ann, dimension, own))["ETag"]

    for do in ("approve", "reject"):
        assert refusal(decide(ann, dimension, own, do)) == (403, "OWN_PLAN")
        assert refusal(decide(ann, dimension, deleting, do)) == (403, "ROLE_TOO_SMALL")
        assert refusal(decide(program, dimension, own, do)) == (403, "NOT_A_PERSON")
        sent = bob.send("POST", one(bob, dimension, own, f"/{do}"), {"text": "x"}, if_match=etag)
        assert refusal(sent) == (403, "NO_GRANT")
        path = one(bob, dimension, own, f"/{do}", "contoso")
        assert refusal(bob.send("POST", path, {"text": "x"}, if_match=etag)) == (404, "PLAN_NOT_FOUND")

    assert set(Plan.objects.values_list("status", "decided_by")) == {("READY", None)}
    approved(max, dimension, deleting)


def test_the_author_stays_the_author(stored, ann, max, dimension):
    """Neither another name nor a new user of the old name may approve what they have made."""
    plan = make(ann, dimension, **new(dimension))
    ann.user.username = "anna"
    ann.user.save()
    assert refusal(decide(signed_in(ann), dimension, plan)) == (403, "OWN_PLAN")

    ann.user.delete()
    again = somebody("ann", stored, Role.MANAGER)
    assert refusal(decide(again, dimension, plan)) == (403, "OWN_PLAN")
    approved(max, dimension, plan)


def test_what_a_decision_must_send(stored, pia, ann, dimension):
    """The tag of the plan as it was seen, and a rejection its reason."""
    plan = make(pia, dimension, **new(dimension))
    etag = ann.get(one(ann, dimension, plan))["ETag"]

    def sent(do: str, body: Any, **headers: str) -> tuple[int, str]:
        return refusal(ann.send("POST", one(ann, dimension, plan, f"/{do}"), body, **headers))

    for do in ("approve", "reject"):
        assert sent(do, {"text": "x"}) == (428, "PRECONDITION_REQUIRED")
        assert sent(do, {"text": "x"}, if_match="*") == (428, "PRECONDITION_REQUIRED")
        assert sent(do, {"text": "x"}, if_match='"other"') == (412, "PRECONDITION_FAILED")
        assert sent(do, [], if_match=etag)[0] == 400
        assert sent(do, {"text": 1}, if_match=etag) == (400, "INVALID")
        assert sent(do, {"text": "x" * 1_001}, if_match=etag) == (400, "TOO_LONG")
        assert sent(do, {"text": "a\nb"}, if_match=etag) == (400, "INVALID_CHARACTER")
        assert sent(do, {"txt": "x"}, if_match=etag)[0] == 400
    assert sent("reject", {}, if_match=etag) == (400, "REQUIRED")
    assert sent("reject", {"text": " "}, if_match=etag) == (400, "REQUIRED")
    assert Plan.objects.get().status == "READY"

    response = ann.send("POST", one(ann, dimension, plan, "/approve"), {}, if_match=etag)
    assert (read(response)["status"], read(response)["text"]) == ("APPROVED", None)


@pytest.mark.parametrize(
    ("first", "codes"),
    [
        ("approve", {"approve": "PLAN_APPROVED", "reject": "PLAN_APPROVED", "apply": None}),
        ("reject", {"approve": "PLAN_REJECTED", "reject": "PLAN_REJECTED", "apply": "PLAN_REJECTED"}),
        ("apply", {"approve": "PLAN_APPLIED", "reject": "PLAN_APPLIED", "apply": "PLAN_APPLIED"}),
    ],
)
def test_a_decision_is_final(stored, pia, ann, max, dimension, first, codes):
    """Each of the others is 409 after it, but for the application of an approved plan."""

    def do(person: Person, what: str) -> Any:
        return apply(person, dimension, plan) if what == "apply" else decide(person, dimension, plan, what)

    plan = make(pia, dimension, **new(dimension))
    assert do(ann, first).status_code == 200
    for what, code in codes.items():
        answer = do(max, what)
        assert (answer.status_code == 200) if code is None else (refusal(answer) == (409, code))


def test_an_invalid_plan_is_not_approved(stored, pia, max, dimension):
    """It has errors, which its author corrects in another plan."""
    plan = make(pia, dimension, snapshot=[MAKERS[dimension]("1")], maxDelete=0)
    assert plan["status"] == "INVALID"
    assert refusal(decide(max, dimension, plan)) == (409, "PLAN_INVALID")


@pytest.mark.contract("K6")
@pytest.mark.parametrize("when", ["before the approval", "after it"])
def test_a_plan_whose_elements_changed_is_outdated(stored, pia, ann, alice, dimension, when):
    """It is neither approved nor applied; both name the elements, and then it is outdated for good."""
    plan = make(pia, dimension, bulk={"patch": [{"key": {"id": "1"}, "data": {"descriptions": {"en": "New"}}}]})
    if when == "after it":
        approved(ann, dimension, plan)
    save(alice, dimension, patch=[{"key": {"id": "1"}, "data": {"descriptions": {"en": "Other"}}}])

    for do in (decide, apply):
        answer = do(ann, dimension, plan)
        if (do, when) == (decide, "after it"):
            assert refusal(answer) == (409, "PLAN_APPROVED")
            continue
        assert refusal(answer) == (409, "PLAN_OUTDATED")
        assert [error["id"] for error in read(answer)["errors"]] == ["1"]
    assert read(ann.get(one(ann, dimension, plan)))["status"] == "OUTDATED"
    assert refusal(decide(ann, dimension, plan, "reject")) == (409, "PLAN_OUTDATED")


@pytest.mark.parametrize("do", [decide, apply])
def test_a_plan_is_outdated_for_good_also_after_a_call_with_a_key(stored, pia, ann, alice, dimension, do):
    """The transaction of the key is rolled back, and the state of the plan is not."""
    plan = make(pia, dimension, bulk={"patch": [{"key": {"id": "1"}, "data": {"descriptions": {"en": "New"}}}]})
    save(alice, dimension, patch=[{"key": {"id": "1"}, "data": {"descriptions": {"en": "Other"}}}])
    assert refusal(do(ann, dimension, plan, **{"Idempotency-Key": "once"})) == (409, "PLAN_OUTDATED")
    assert read(ann.get(one(ann, dimension, plan)))["status"] == "OUTDATED"


@pytest.mark.contract("O2", "K6")
@pytest.mark.parametrize("lost", ["the grant", "the role", "the account", "activity"])
def test_an_approval_counts_only_while_the_approver_may_approve(stored, pia, ann, max, dimension, lost):
    """Who has left, or was found to be an impostor, has approved nothing."""
    require_approval(stored)
    plan = approved(ann, dimension, make(pia, dimension, **new(dimension)))
    grants = AccessGrant.objects.filter(user=ann.user)
    match lost:
        case "the grant":
            grants.delete()
        case "the role":
            grants.update(role=Role.PROPOSER)
        case "the account":
            ann.user.delete()
        case "activity":
            ann.user.is_active = False
            ann.user.save()

    assert refusal(apply(max, dimension, plan)) == (403, "APPROVAL_REQUIRED")
    assert ids(max, dimension) == ["1", "2", "3"]
    require_approval(stored, NOTHING)
    applied(max, dimension, plan)
    place_change_sets()
    listed = f"elements-changesets?filter=operation=={plan['planId']}"
    [found] = read(max.get(max.elements(dimension, listed)))
    assert found["approval"] is None


@pytest.mark.contract("O2")
def test_deletions_alone_may_need_an_approval(stored, pia, ann, max, dimension):
    """What deletes nothing is written and applied as ever."""
    require_approval(stored, DELETIONS)
    applied(ann, dimension, make(pia, dimension, **new(dimension)))
    place_change_sets()
    deleting = make(pia, dimension, bulk={"delete": [{"id": "1"}]}, maxDelete=1)
    assert refusal(apply(max, dimension, deleting)) == (403, "APPROVAL_REQUIRED")
    applied(max, dimension, approved(max, dimension, deleting))
    assert ids(max, dimension) == ["2", "3", "4"]


@pytest.mark.contract("K5")
def test_a_decision_starts_the_time_of_a_plan_again(stored, pia, ann, dimension, settings):
    """An old plan that was just decided stays; one that nobody decided on expires, which the log says."""
    plan, waiting = (make(pia, dimension, **new(dimension, id)) for id in "45")
    past = timezone.now() - timedelta(days=settings.PLAN_RETENTION_DAYS, minutes=1)
    Plan.objects.update(created_at=past)
    done = approved(ann, dimension, plan)

    assert datetime.fromisoformat(done["expiresAt"]) > timezone.now() + timedelta(days=6)
    delete_old_plans()
    assert [str(one.pk) for one in Plan.objects.all()] == [plan["planId"]]
    assert waiting["planId"] != plan["planId"]


@pytest.mark.contract("K6")
def test_the_tag_of_a_plan_changes_with_its_decision(stored, pia, ann, max, dimension):
    """So an approval that somebody has not seen is noticed."""
    plan = make(pia, dimension, **new(dimension))
    etag = max.get(one(max, dimension, plan))["ETag"]
    approved(ann, dimension, plan)
    address = one(max, dimension, plan)
    sent = max.send("POST", f"{address}/apply", "", if_match=etag)
    assert refusal(sent) == (412, "PRECONDITION_FAILED")
    assert refusal(max.send("DELETE", address, "", if_match=etag)) == (412, "PRECONDITION_FAILED")
    assert refusal(max.send("DELETE", address, "", if_match=f"W/{etag}")) == (400, "INVALID_VALUE")
    assert max.send("DELETE", address, "", if_match=max.get(address)["ETag"]).status_code == 204


def test_an_idempotent_approval_is_done_once(stored: Repository, pia, ann, dimension):
    """The repeated call gets the answer of the first."""
    plan = make(pia, dimension, **new(dimension))
    etag = ann.get(one(ann, dimension, plan))["ETag"]
    headers = {"if_match": etag, "idempotency_key": "once"}
    answers = [ann.send("POST", one(ann, dimension, plan, "/approve"), {}, **headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert read(answers[0]) == read(answers[1])
