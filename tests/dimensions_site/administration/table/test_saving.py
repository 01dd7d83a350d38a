"""A checked table is saved: all or nothing, in one change set, with its reason; and it can be undone."""

import pytest
from django.contrib.messages import get_messages
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import Account
from bulkops.models import Plan
from bulkops.plans.deciding import apply_plan
from dimensions_site.changes.models import ChangeSet, Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.repositories.models import Role
from tests.bulkops.plans.plans import make
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.dimensions_site.administration.table.grids import cells, checked, opened, send
from tests.factories import account
from tests.services.citus import IS_CITUS
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("K6", "I2")


@pytest.fixture
def chart(northwind):
    """Three accounts."""
    store_accounts(
        northwind, *(account(id, descriptions={"en": "Cash", "de": "Kasse"}) for id in ("0090", "1100", "2000"))
    )


@pytest.mark.django_db(transaction=True)
def test_what_was_checked_is_saved_in_one_change_set_and_undone(chart, ed):
    """The message leads to the activity, which has the button that undoes it."""
    browser = browser_of(ed)
    shown = checked(browser, {"0090": {"descriptions.de": "0090"}, "1100": {"type": "Detail"}})
    saved = send(browser, shown, "save", _reason="Correct types")
    assert (saved.status_code, saved.url) == (302, page(Account))
    (message,) = map(str, get_messages(saved.wsgi_request))
    assert message.startswith("2 rows were saved. <a ")
    found = ChangeSet.objects.get(operation=str(Plan.objects.get().pk))
    assert (found.user, found.reason, found.changed) == ("ed", "Correct types", 2)
    assert Account.objects.get(element_id="0090").descriptions["de"] == "0090"
    address = message.split('href="')[1].split('"')[0]
    undone = browser.post(f"{address.removesuffix('change/')}undo/")
    assert (undone.status_code, Plan.objects.filter(source__undo=str(found.pk)).get().changed) == (302, 2)


def test_a_reason_that_is_required_is_asked_for_and_nothing_is_lost(chart, ed, northwind):
    northwind.requires_reason = True
    northwind.save()
    browser = browser_of(ed)
    shown = checked(browser, {"0090": {"type": "Detail"}})
    refused = send(browser, shown, "save")
    assert refused.context["reason"].error
    assert cells(refused)["0090"]["type"] == "Detail"
    assert send(browser, refused, "save", _reason="Because").status_code == 302
    assert Account.objects.get(element_id="0090").type == "DETAIL"


def test_what_was_typed_after_the_check_is_not_saved_unseen(chart, ed):
    browser = browser_of(ed)
    shown = checked(browser, {"0090": {"type": "Detail"}})
    again = send(browser, shown, "save", {"1100": {"type": "Detail"}})
    assert again.context["checked"].problems == [
        "Nothing was saved: the table is not as it was checked. It was checked again."
    ]
    assert (again.context["checked"].plan.changed, Plan.objects.count()) == (2, 1)
    assert Account.objects.get(element_id="0090").type == "NORMAL"


def test_what_others_save_between_the_check_and_the_save_is_shown(chart, ed, alice):
    """All or nothing: the other row is not saved, either."""
    browser = browser_of(ed)
    shown = checked(browser, {"0090": {"descriptions.de": "Mine"}, "1100": {"type": "Detail"}})
    alice.send("PATCH", alice.account("elements/0090"), {"descriptions": {"de": "Theirs"}})
    refused = send(browser, shown, "save")
    assert refused.context["checked"].problems == [
        "Nothing was changed: what the proposal concerns has changed since it was made."
    ]
    assert [one.theirs for one in refused.context["checked"].conflicts] == ["Theirs"]
    assert Account.objects.get(element_id="1100").type == "NORMAL"
    assert not Plan.objects.exists()


def test_the_plan_of_somebody_else_is_not_applied(chart, ed, alice):
    shown = checked(browser_of(ed), {"0090": {"type": "Detail"}})
    send(browser_of(alice), shown, "save")
    assert Account.objects.get(element_id="0090").type == "NORMAL"
    assert Plan.objects.filter(requester="ed").exists()


@pytest.mark.parametrize("name", ["nonsense", ":", "00000000-0000-0000-0000-000000000000:x", "\ud7ff" * 50])
def test_a_plan_that_is_none_is_checked_again(chart, ed, name):
    browser = browser_of(ed)
    shown = checked(browser, {"0090": {"type": "Detail"}})
    assert send(browser, shown, "save", _plan=name).context["checked"].plan.changed == 1


def test_an_expired_session_keeps_what_was_typed(chart, ed):
    """The table comes back after the sign-in, and nothing is saved."""
    browser = browser_of(ed)
    shown = checked(browser, {"0090": {"type": "Detail"}})
    browser.logout()
    asked = send(browser, shown, "check", {"1100": {"descriptions.de": "Bank"}}, _user="ed")
    pending = asked.context["pending"]
    login = {"username": "ed", "password": "ed-password", "pending": pending}
    back = browser.post(asked.context["app_path"], login)
    again = browser.get(back["Location"])
    assert cells(again)["1100"]["descriptions.de"] == "Bank"
    assert cells(again)["0090"]["type"] == "Detail"
    assert "you signed in again" in again.content.decode()
    assert Account.objects.get(element_id="0090").type == "NORMAL"


def test_the_number_of_queries_does_not_grow_with_the_rows(ed, northwind):
    """As long as the list has one page, and the writers read the rows together."""
    store_accounts(northwind, *(account(f"{number:04}") for number in range(40)))
    browser = browser_of(ed)
    counts = []
    for query, rows in (("?q=000", 10), ("", 40)):
        with CaptureQueriesContext(connection) as of_opening:
            shown = opened(browser, query)
        assert len(cells(shown)) == rows
        typed = {id: {"type": "Detail", "descriptions.en": query + id} for id in cells(shown)}
        with CaptureQueriesContext(connection) as of_check:
            found = send(browser, shown, "check", typed)
        assert found.context["checked"].plan.changed == rows
        with CaptureQueriesContext(connection) as of_save:
            assert send(browser, found, "save").status_code == 302
        counts.append([len(of_opening), len(of_check), len(of_save)])
    assert counts[0] == counts[1]
    # On a cluster, a change set is placed by more statements.
    assert all(done <= most for done, most in zip(counts[0], (14, 50, 45 if IS_CITUS else 42), strict=True)), counts


@pytest.mark.contract("G2")
def test_a_plan_needs_its_role_from_whoever_applies_it(chart, alice):
    """The writers ask for it themselves, so that no page can leave it out."""
    plan = Plan.objects.get(pk=make(alice, "account", bulk={"delete": [{"id": "0090"}]}, maxDelete="100%")["planId"])

    def require(role: Role) -> None:
        assert role is Role.MANAGER
        raise PermissionDenied

    with pytest.raises(PermissionDenied):
        apply_plan(plan, Actor("alice", Channel.PLAN), require)
    assert Account.objects.count() == 3
