"""What each source of a plan leads to: what it shows is what its application does."""

import pytest

from bulkops.plans.trial import PlanTrial
from bulkops.session.writer import Counts
from dimensions_site.repositories.models import AccessGrant, Role
from tests.bulkops.plans.plans import applied, changes, counts, make, without_info
from tests.bulkops.save.bulk import DIMENSIONS, elements, patch, save
from tests.factories import MAKERS, read

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=DIMENSIONS)
def dimension(request, alice):
    """A dimension with the elements 1 to 4."""
    save(alice, request.param, put=[MAKERS[request.param](id) for id in "1234"])
    return request.param


def ids(person, dimension):
    return [element["id"] for element in elements(person, dimension)]


@pytest.mark.contract("K4", "K5", "K6")
@pytest.mark.parametrize("replaces", [False, True])
def test_a_snapshot_creates_changes_and_deletes(alice, dimension, replaces):
    """The nightly synchronisation: what the source lacks goes, and nothing happens before the plan is applied."""
    make_one = MAKERS[dimension]
    snapshot = [make_one("1"), make_one("2", descriptions={"en": "Another"}), make_one("5")]
    before = elements(alice, dimension)
    plan = make(alice, dimension, snapshot=snapshot, maxDelete="50%", replace=replaces)

    assert counts(plan) == (1, 1, 1, 2)
    assert (plan["status"], plan["errors"], elements(alice, dimension)) == ("READY", [], before)
    assert [(one["id"], one["action"]) for one in changes(alice, dimension, plan)] == [
        ("2", "changed"),
        ("3", "deleted"),
        ("4", "deleted"),
        ("5", "created"),
    ]
    assert [one["id"] for one in changes(alice, dimension, plan, "?action=deleted&skip=1")] == ["4"]

    done = applied(alice, dimension, plan)
    after = {element["id"]: element["descriptions"] for element in elements(alice, dimension)}
    assert list(after) == ["1", "2", "5"]
    kept = {} if replaces else make_one()["descriptions"]
    assert after["2"] == {**kept, "en": "Another"}
    [change_set] = read(alice.get(alice.elements(dimension, f"elements-changesets?filter=operation=={plan['planId']}")))
    assert change_set["id"] == done["changeSet"]
    assert (change_set["channel"], change_set["created"], change_set["changed"], change_set["deleted"]) == (
        "PLAN",
        1,
        1,
        2,
    )


@pytest.mark.contract("K4")
def test_another_repository_is_brought_over(alice, bob, contoso, dimension):
    """From test to production: afterwards the comparison of the two is empty."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    make_one = MAKERS[dimension]
    there = [make_one("2", descriptions={"de": "Anders"}), make_one("3"), make_one("9")]
    response = bob.send("POST", bob.elements(dimension, "elements-bulk", "contoso"), {"put": there})
    assert response.status_code == 200
    read(response)
    plan = make(alice, dimension, repository="contoso", maxDelete=2)

    assert counts(plan) == (1, 1, 1, 2)
    applied(alice, dimension, plan)
    assert read(alice.get(alice.elements(dimension, "elements-compare?fromRepository=contoso"))) == []


@pytest.mark.contract("K4")
def test_an_earlier_state_is_restored(alice, dimension):
    """To go back: what was created is deleted, what was deleted is as it was, its oid included."""
    response = alice.get(alice.elements(dimension))
    before, token = read(response), response["Sync-Token"]
    save(alice, dimension, post=[MAKERS[dimension]("7")], patch=[patch("1", descriptions={"en": "Changed"})])
    applied(alice, dimension, make(alice, dimension, bulk={"delete": [{"id": "2"}]}, maxDelete=1))
    plan = make(alice, dimension, asOf=token, maxDelete=1)

    assert counts(plan) == (1, 1, 2, 1)
    applied(alice, dimension, plan)
    assert without_info(elements(alice, dimension)) == without_info(before)


@pytest.mark.contract("K4", "K7")
@pytest.mark.parametrize("by", ["changeSet", "planId"])
def test_a_change_set_is_undone(alice, dimension, by):
    """By its id, or by that of the operation; what happened to other elements stays."""
    before = elements(alice, dimension)
    done = applied(
        alice,
        dimension,
        make(
            alice,
            dimension,
            snapshot=[MAKERS[dimension]("1", descriptions={"en": "New"}), MAKERS[dimension]("6")],
            maxDelete="100%",
        ),
    )
    save(alice, dimension, post=[MAKERS[dimension]("8")])
    plan = make(alice, dimension, undo=done[by], maxDelete=1)

    assert (counts(plan)[0], counts(plan)[1], counts(plan)[3]) == (3, 1, 1)
    applied(alice, dimension, plan)
    assert without_info([one for one in elements(alice, dimension) if one["id"] != "8"]) == without_info(before)


@pytest.mark.contract("K7")
def test_what_was_changed_again_is_not_undone_by_itself(alice, dimension):
    """Somebody's later work is never lost silently: it forbids the undo, or is left as it is."""
    save(alice, dimension, patch=[patch("1", descriptions={"en": "First"}), patch("2", descriptions={"en": "First"})])
    [latest] = read(alice.get(alice.elements(dimension, "elements-changesets?take=1")))
    save(alice, dimension, patch=[patch("2", descriptions={"en": "Second"})])

    refused = make(alice, dimension, undo=latest["id"])
    assert (refused["status"], [(one["id"], one["code"]) for one in refused["errors"]]) == (
        "INVALID",
        [("2", "CHANGED_SINCE")],
    )
    plan = make(alice, dimension, undo=latest["id"], onConflict="skip")
    applied(alice, dimension, plan)
    texts = {one["id"]: one["descriptions"]["en"] for one in elements(alice, dimension)}
    assert (texts["1"], texts["2"]) == (MAKERS[dimension]("1")["descriptions"]["en"], "Second")


@pytest.mark.contract("K7")
@pytest.mark.parametrize("conflicts", ["error", "skip"])
def test_an_undo_minds_what_is_changed_while_it_waits_for_its_turn(alice, dimension, monkeypatch, conflicts):
    """The change sets were compared before; elements that stay as they were by then do not matter."""
    save(
        alice, dimension, patch=[patch(id, descriptions={"en": "First"}) for id in "12"], post=[MAKERS[dimension]("5")]
    )
    [latest] = read(alice.get(alice.elements(dimension, "elements-changesets?take=1")))
    run = PlanTrial.run

    def write_and_run(trial: PlanTrial) -> Counts:
        save(alice, dimension, patch=[patch(id, descriptions={"en": "Second"}) for id in "235"])
        return run(trial)

    monkeypatch.setattr(PlanTrial, "run", write_and_run)
    plan = make(alice, dimension, undo=latest["id"], onConflict=conflicts, maxDelete="100%")
    assert plan["status"] == "INVALID"
    assert [(one["id"], one["code"]) for one in plan["errors"]] == [("2", "CHANGED_SINCE"), ("5", "CHANGED_SINCE")]


@pytest.mark.contract("K4", "K7")
def test_an_undo_minds_only_what_was_changed_again_in_its_scope(alice, dimension):
    """In the scope is what was there when the change set was written, or is there now."""
    save(alice, dimension, patch=[patch(id, descriptions={"en": "First"}) for id in "1234"])
    [latest] = read(alice.get(alice.elements(dimension, "elements-changesets?take=1")))
    save(alice, dimension, patch=[patch("2", descriptions={"en": "Second"}), patch("3", descriptions={"en": "Third"})])

    for scope, named in (
        ("id=in=(1,2)", ["2"]),
        ("description==First", ["2", "3"]),
        ("description==Third", ["3"]),
        ("description==Other", []),
    ):
        plan = make(alice, dimension, undo=latest["id"], scope=scope)
        assert [one["id"] for one in plan["errors"]] == named
    plan = make(alice, dimension, undo=latest["id"], scope="id=in=(1,4)")
    applied(alice, dimension, plan)
    texts = [one["descriptions"]["en"] for one in elements(alice, dimension)]
    first = MAKERS[dimension]("1")["descriptions"]["en"]
    assert texts == [first, "Second", "Third", first]


@pytest.mark.contract("K4")
def test_a_bulk_body_with_deletions(alice, dimension):
    """Everything that a bulk save can do, and deletions, in one transaction."""
    make_one = MAKERS[dimension]
    bulk = {
        "post": [make_one("5")],
        "put": [make_one("1", descriptions={"en": "Put"})],
        "merge": [make_one("2", descriptions={"en": "Merged"})],
        "patch": [patch("3", descriptions={"en": "Patched"})],
        "delete": [{"id": "4"}, {"id": "unknown"}],
    }
    plan = make(alice, dimension, bulk=bulk, maxDelete=1)

    assert counts(plan) == (1, 3, 0, 1)
    applied(alice, dimension, plan)
    assert ids(alice, dimension) == ["1", "2", "3", "5"]


@pytest.mark.contract("K4")
def test_a_plan_that_changes_nothing(alice, dimension):
    """It can be applied, and writes no change set."""
    plan = make(alice, dimension, snapshot=[MAKERS[dimension](id) for id in "1234"])

    assert (counts(plan), changes(alice, dimension, plan)) == ((0, 0, 4, 0), [])
    assert applied(alice, dimension, plan)["changeSet"] is None
