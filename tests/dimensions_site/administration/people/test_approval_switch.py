"""The switch of approval on the page of a repository (contract O2)."""

import pytest

from dimensions_site.changes.models import Slot
from dimensions_site.repositories.models import AccessChange, ApprovalSwitch, Repository
from tests.bulkops.plans.deciding import EVERYTHING, require_approval
from tests.dimensions_site.administration.site.forms import filled_form
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import Person

pytestmark = [pytest.mark.contract("O2", "O4"), pytest.mark.django_db]


@pytest.fixture
def root(alice: Person) -> Person:
    alice.user.is_superuser = alice.user.is_staff = True
    alice.user.save()
    return alice


def test_a_superuser_throws_the_switch_of_each_dimension(root, northwind):
    """It holds for all that is written later, and is recorded; the page says what it changes."""
    browser, address = browser_of(root), page(Repository, "change", northwind.pk)
    text = browser.get(address).content.decode()
    assert "What needs an approval can only be proposed" in text
    form = filled_form(text, "repository_form")
    assert (form["approval_account"], form["approval_currency"]) == ("none", "none")
    assert browser.post(address, {**form, "approval_account": "all"}).status_code == 302
    northwind.refresh_from_db()
    assert northwind.approval_of("account") is EVERYTHING
    assert northwind.approval_of("currency") is ApprovalSwitch.NONE
    assert set(Slot.objects.filter(dimension="account").values_list("approval", flat=True)) == {"all"}
    assert not Slot.objects.exclude(dimension="account").exists()
    recorded = AccessChange.objects.latest("pk")
    assert "'approval': {'account': 'all'}" in str(vars(recorded))
    assert recorded.changed_by == "alice"
    words = "what needs the approval of a second person: nothing → account: every change"
    assert words in browser.get(page(AccessChange)).content.decode()
    again = filled_form(browser.get(address).content.decode(), "repository_form")
    assert again["approval_account"] == "all"
    assert browser.post(address, {**again, "approval_account": "x"}).status_code == 200
    northwind.refresh_from_db()
    assert northwind.approval_of("account") is EVERYTHING


def test_a_new_repository_may_begin_with_it(root):
    browser, address = browser_of(root), page(Repository, "add")
    form = filled_form(browser.get(address).content.decode(), "repository_form")
    sent = {**form, "db_id": "fabrikam", "name": "Fabrikam", "approval_currency": "deletions"}
    assert browser.post(address, sent).status_code == 302
    found = Repository.objects.get(db_id="fabrikam")
    assert found.approval == {"currency": "deletions"}


def test_a_form_that_is_saved_late_leaves_the_switch_as_it_is_by_then(root, northwind):
    """Somebody else has thrown it since the page was opened."""
    browser, address = browser_of(root), page(Repository, "change", northwind.pk)
    form = filled_form(browser.get(address).content.decode(), "repository_form")
    require_approval(northwind)
    assert browser.post(address, {**form, "name": "Northwind AG"}).status_code == 302
    northwind.refresh_from_db()
    assert (northwind.name, northwind.approval_of("account")) == ("Northwind AG", EVERYTHING)
