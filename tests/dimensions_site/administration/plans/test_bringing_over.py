"""From a comparison to a plan: bringing over from another repository, and going back to an earlier state."""

import pytest

from account.models import Account
from bulkops.models import Plan
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.elements.dated import TYPED, store_chart
from tests.dimensions_site.administration.plans.plan_pages import apply, planned
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = [pytest.mark.contract("K4", "G2"), pytest.mark.django_db]

PAGE = page(Account, "compare")
MAKE = page(Account, "compare_plan")


def query(before, after, moment="", now="", filter=""):
    sides = {"from_repository": before.pk, "from": moment, "repository": after.pk, "to": now, "filter": filter}
    return "&".join(f"{name}={value}" for name, value in sides.items())


def buttons(browser, sides):
    answer = browser.get(f"{PAGE}?{sides}")
    assert answer.status_code == 200
    return {name: one.label for name, one in answer.context["targets"].items()}


def make(browser, sides, into):
    return browser.post(f"{MAKE}?{sides}", {"into": into}, follow=True)


def stored(repository):
    return {one.element_id: one.descriptions for one in Account.of(repository).order_by("element_id")}


@pytest.mark.django_db(transaction=True)
def test_one_goes_back_to_an_earlier_state(alice, northwind):
    """Whichever side of the comparison that is."""
    store_chart(alice, northwind)
    browser = browser_of(alice)
    label = "Go back to the state of 2026-03-31 22:00:00 UTC…"
    assert buttons(browser, query(northwind, northwind, "", TYPED)) == {"from": label}
    sides = query(northwind, northwind, TYPED)
    assert buttons(browser, sides) == {"to": label}
    answer = make(browser, sides, "to")
    plan = planned(answer)
    assert (plan.created, plan.changed, plan.deleted) == (1, 1, 1)
    assert "Back to the state of 2026-03-31 22:00:00 UTC" in answer.content.decode()
    apply(browser, plan)
    assert list(stored(northwind)) == ["1000", "1100", "2000"]
    assert stored(northwind)["1000"] == {"en": "Cash", "de": "Kasse"}


def test_a_plan_is_made_again_by_those_who_may_read_its_source(alice, ed, northwind, contoso):
    store_accounts(contoso, account("1"))
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    browser = browser_of(alice)
    plan = planned(make(browser, query(northwind, contoso), "from"))
    again = page(Plan, "again", plan.pk)
    assert messages_of(browser_of(ed).post(again, follow=True)) == ["The repository contoso is not open to you."]
    assert Plan.objects.count() == 1
    store_accounts(contoso, account("2"))
    assert planned(browser.post(again, follow=True)).created == 2


def test_both_directions_are_offered_to_an_editor_of_both(alice, northwind, contoso):
    store_accounts(northwind, account("1"))
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.EDITOR)
    browser, sides = browser_of(alice), query(northwind, contoso)
    assert buttons(browser, sides) == {
        "from": "Copy from contoso into northwind…",
        "to": "Copy from northwind into contoso…",
    }
    assert planned(make(browser, sides, "to")).repository == contoso
    # That would delete in Northwind, where Alice is a manager, and not in Contoso. An editor plans it, too.
    assert planned(make(browser, sides, "from")).deleted == 1
    AccessGrant.objects.filter(repository=northwind).update(role=Role.EDITOR)
    assert planned(make(browser_of(alice), sides, "from")).deleted == 1


def test_the_filter_of_the_comparison_is_the_scope_of_the_plan(alice, northwind, contoso):
    """What does not match stays as it is."""
    store_accounts(contoso, account("1", type="DETAIL"), account("2"))
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    browser, sides = browser_of(alice), query(northwind, contoso, filter="type==DETAIL")
    answer = make(browser, sides, "from")
    plan = planned(answer)
    assert (plan.scope, plan.created) == ("type==DETAIL", 1)
    assert "type==DETAIL" in answer.content.decode()
    answer = make(browser, query(northwind, contoso, filter="updateInfo.user==system"), "from")
    assert messages_of(answer) == ["A scope must not name updateInfo.user: applying the plan changes it."]
    assert answer.redirect_chain[0][0].startswith(PAGE)


@pytest.mark.django_db(transaction=True)
def test_a_past_state_is_never_changed(alice, northwind):
    store_chart(alice, northwind)
    assert make(browser_of(alice), query(northwind, northwind, TYPED), "from").status_code == 403


def test_errors_of_the_form_are_shown(alice, northwind):
    answer = make(browser_of(alice), query(northwind, northwind, "soon"), "to")
    assert "is not a date and a time" in answer.content.decode()


def test_without_differences_there_is_nothing_to_bring_over(alice, northwind, contoso):
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.EDITOR)
    assert buttons(browser_of(alice), query(northwind, contoso)) == {}


@pytest.mark.django_db(transaction=True)
def test_nobody_brings_over_into_what_they_only_read(alice, rita, northwind):
    store_chart(alice, northwind)
    browser, sides = browser_of(rita), query(northwind, northwind, TYPED)
    assert buttons(browser, sides) == {}
    for into in ("to", "from", "", "x"):
        assert make(browser, sides, into).status_code == 403
    assert not Plan.objects.exists()
