"""The admin shows only the elements that the user's grants permit."""

import pytest
from django.test import Client
from django.urls import reverse

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions import MODELS
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

pytestmark = pytest.mark.contract("G2")

OTHERS = ("contoso", "Contoso", "CCODE", "c-words")


@pytest.fixture
def filled(northwind, contoso):
    store_currencies(
        northwind, currency("NCODE", descriptions={"en": "n-words", "de": "n-Wort"}, referenceCurrency={"id": "X"})
    )
    store_accounts(
        northwind,
        account(
            "NCODE",
            descriptions={"en": "n-words", "fr": None},
            rules={"grossAmountEqualICSum": True, "accrual": {"debitAccrual": {"id": "7", "description": "Accrued"}}},
            consolidation={"bankingData": {"icIitemOld": {"id": "<b>", "changeSign": True}}},
        ),
    )
    store_currencies(contoso, currency("CCODE", descriptions={"de": "c-words"}))
    store_accounts(contoso, account("CCODE", descriptions={"de": "c-words"}, rules={"grossAmountEqualICSum": True}))


def page(dimension, action="changelist", *arguments):
    return reverse(f"admin:{dimension}_{dimension}_{action}", args=arguments)


@pytest.mark.parametrize("dimension", MODELS)
@pytest.mark.parametrize("action", ["change", "history", "delete", "uses"])
def test_an_element_of_another_repository_is_not_found(filled, rita, dimension, action):
    """On every page; the response is that for an unknown number."""
    browser = browser_of(rita)
    others = MODELS[dimension].objects.get(element_id="CCODE")
    for key in (others.pk, 10**9, "x"):
        for send in (browser.get, browser.post):
            response = send(page(dimension, action, key))
            assert response.status_code in (403, 404)
            assert not [word for word in OTHERS if word in response.content.decode()]


@pytest.mark.parametrize("dimension", MODELS)
def test_a_reader_looks_and_changes_nothing(filled, rita, dimension):
    """The page has no field to type in, and whatever is sent is refused."""
    own = MODELS[dimension].objects.get(element_id="NCODE")
    before = MODELS[dimension].objects.values().get(pk=own.pk)
    browser = browser_of(rita)
    text = browser.get(page(dimension, "change", own.pk)).content.decode()
    assert 'name="descriptions"' not in text
    assert 'name="_save"' not in text
    assert browser.post(page(dimension, "change", own.pk), {"descriptions": ""}).status_code == 403
    assert browser.get(page(dimension, "add")).status_code == 403
    assert browser.post(page(dimension, "add"), {"id": "X"}).status_code == 403
    assert browser.post(page(dimension, "delete", own.pk), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": own.pk, "post": "yes"}
    assert browser.post(page(dimension), chosen).status_code in (200, 302)
    assert MODELS[dimension].objects.values().get(pk=own.pk) == before
    assert MODELS[dimension].objects.filter(repository=own.repository).count() == 1


@pytest.mark.parametrize("dimension", MODELS)
def test_nobody_writes_with_a_role_for_reading(filled, ed, contoso, dimension):
    """An editor of one repository who reads another one; not even a list of their own elements hides it."""
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.READER)
    others = MODELS[dimension].objects.get(element_id="CCODE")
    before = MODELS[dimension].objects.values().get(pk=others.pk)
    browser = browser_of(ed)
    assert browser.get(page(dimension, "change", others.pk)).status_code == 200
    assert browser.post(page(dimension, "change", others.pk), {"descriptions": ""}).status_code == 403
    assert browser.post(page(dimension, "delete", others.pk), {"post": "yes"}).status_code == 403
    assert MODELS[dimension].objects.values().get(pk=others.pk) == before


@pytest.mark.contract("C17")
def test_an_account_shows_its_values_with_its_generated_logic(filled, rita):
    """Each description and each reference that is set, and who changed it; text is text, not markup."""
    own = Account.objects.get(element_id="NCODE")
    text = browser_of(rita).get(page("account", "change", own.pk)).content.decode()
    for words in (
        "<dt>English (en)</dt><dd>n-words</dd>",
        "<dt>French (fr)</dt><dd><em>no text</em></dd>",
        "Accrued",
        '<div class="element-value">&lt;b&gt;</div>',
        '<div class="element-value">yes</div>',
        "IC on Gross amount",
        "SUM(icDeclaration)",
        "Northwind group",
        "imported file",
    ):
        assert words in text, words
    assert "&quot;en&quot;" not in text


@pytest.mark.parametrize(("granted", "other"), [("currency", "account"), ("account", "currency")])
def test_a_grant_for_one_dimension_shows_that_one_only(filled, northwind, bob, granted, other):
    """The other is not in the menu and its pages are refused."""
    AccessGrant.objects.filter(user=bob.user).delete()
    AccessGrant.objects.create(user=bob.user, repository=northwind, role=Role.READER, dimension=granted)
    browser = browser_of(bob)
    assert browser.get(page(granted)).status_code == 200
    assert browser.get(page(other)).status_code == 403
    index = browser.get(reverse("admin:index")).content.decode()
    assert page(granted) in index
    assert page(other) not in index


def test_a_user_who_is_not_staff_is_sent_to_the_login(filled, alice):
    """A grant for the API gives no access to the admin."""
    browser = Client()
    browser.force_login(alice.user)
    for address in (reverse("admin:index"), page("account")):
        assert browser.get(address)["Location"].startswith(reverse("admin:login"))
