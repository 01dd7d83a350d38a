"""Ctrl-K finds pages, and accounts and currencies by id and by a word in any language, within the user's grants."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from account.models import Account
from dimensions_site.administration.site.command_search import SHOWN_ELEMENTS
from dimensions_site.repositories.models import AccessGrant, Role
from dimensions_site.saved_views.models import SavedView
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies

SEARCH = reverse("admin:search")


@pytest.fixture
def charts(northwind, contoso):
    store_accounts(
        northwind,
        account("4000", descriptions={"en": "Revenue", "de": "Umsatzerlöse"}),
        account("14000", descriptions={"en": "Other"}),
        account("a.1", descriptions={"en": "Small"}),
    )
    store_currencies(northwind, currency("EUR", descriptions={"en": "Euro", "fr": "Euro de l'Union"}))
    store_accounts(contoso, account("4000", descriptions={"de": "Umsatz von Contoso"}))


def found(browser, text, language="en"):
    """The words of each result, and its address."""
    answer = browser.get(SEARCH, {"s": text}, headers={"Accept-Language": language})
    assert answer.status_code == 200
    results = re.findall(r'<a class="bg-base-100[^"]*" href="([^"]+)">(.*?)</a>', answer.content.decode(), re.DOTALL)
    return {
        " ".join(
            re.sub(r"<span class=\"material.*?</span>|<[^>]+>", " ", unescape(words), flags=re.DOTALL).split()
        ): link
        for link, words in results
    }


def test_an_account_is_found_by_a_word_in_any_language(charts, rita, northwind):
    """The result has its id, the text in the user's language and the one that was found, and the repository."""
    link = page(Account, "change", Account.objects.get(repository=northwind, element_id="4000").pk)
    assert found(browser_of(rita), "umsatz") == {"4000 Revenue Umsatzerlöse (de) account · northwind": link}
    assert list(found(browser_of(rita), "umsatz", "de")) == ["4000 Umsatzerlöse Konto · northwind"]


def test_what_begins_with_the_typed_id_comes_first(charts, rita):
    """Then what contains it; nobody has to type capitals."""
    assert [words.split()[0] for words in found(browser_of(rita), "4000")] == ["4000", "14000"]
    assert [words.split()[0] for words in found(browser_of(rita), "eur")] == ["EUR"]
    assert [words.split()[0] for words in found(browser_of(rita), "A.1")] == ["a.1"]


def test_pages_are_found_by_their_names_in_the_sidebar(charts, rita):
    """In the language of the page, and only those that the user may open."""
    browser = browser_of(rita)
    assert found(browser, "deleted acc")["Deleted accounts"] == page(Account, "deleted_elements")
    assert "Gelöschte Konten" in found(browser, "gelöschte", "de")
    assert found(browser, "Users") == {}


def test_actions_are_found_in_the_language_of_the_page_and_in_english(charts, ed, rita):
    """Only those that the user may do; somebody who knows the English word finds the German page."""
    for text, language in (("neu: konto", "de"), ("new account", "de"), ("new acc", "en")):
        assert page(Account, "add") in found(browser_of(ed), text, language).values()
    assert page(Account, "add") not in found(browser_of(rita), "new account").values()
    for text, address in (
        ("compare", page(Account, "compare")),
        ("tree", page(Account, "tree")),
        ("help", reverse("help", args=["guide"])),
        ("export", page(Account, "export_file")),
    ):
        assert address in found(browser_of(rita), text).values()


@pytest.mark.contract("G2")
def test_views_and_repositories_are_found_within_the_grants(charts, rita, bob, northwind):
    """Not even the name of another repository, nor a view of somebody else."""
    SavedView.objects.create(owner=rita.user, dimension="account", name="Month end", query="q=1")
    SavedView.objects.create(owner=bob.user, dimension="account", name="Month end of Bob", query="q=1")
    assert list(found(browser_of(rita), "month")) == ["Month end saved view accounts"]
    address = f"{page(Account)}?repository__id__exact={northwind.pk}"
    assert found(browser_of(rita), "northw")["northwind Northwind group repository"] == address
    assert found(browser_of(rita), "contoso") == {}


def test_superusers_find_users(charts, rita):
    """Others do not learn who there is."""
    address = page(User, "change", rita.user.pk)
    assert address in found(superuser(), "rit").values()
    assert address not in found(browser_of(rita), "rit").values()


@pytest.mark.contract("G2")
def test_a_result_is_within_the_grants_of_now(charts, rita, northwind, contoso):
    """No result is kept: a grant that ends ends what is found."""
    browser = browser_of(rita)
    assert "Contoso" not in "".join(found(browser, "umsatz"))
    grant = AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    assert "contoso" in "".join(found(browser, "umsatz"))
    grant.delete()
    assert "contoso" not in "".join(found(browser, "umsatz"))
    AccessGrant.objects.filter(user=rita.user).delete()
    assert found(browser, "umsatz") == {}


def test_of_each_dimension_ten_are_shown_with_a_link_to_the_list(rita, northwind):
    """Nobody reads more; the list has the rest."""
    store_accounts(northwind, *(account(f"9{number:02}") for number in range(30)))
    browser = browser_of(rita)
    assert len(found(browser, "9")) == SHOWN_ELEMENTS
    assert f"{page(Account)}?q=9" in browser.get(SEARCH, {"s": "9"}).content.decode()


@pytest.mark.parametrize("text", ["", "   ", "x" * 501, "%", "<script>", "4000' OR 1=1"])
def test_nonsense_finds_nothing(charts, rita, text):
    """It is no error."""
    assert found(browser_of(rita), text) == {}


def test_only_people_with_access_to_the_administration_search(charts):
    """Others come to the sign-in."""
    assert Client().get(SEARCH, {"s": "4000"}).status_code == 302


def test_a_search_costs_the_same_however_much_it_finds(charts, rita, northwind):
    """Session, user, grants, and up to three queries for each dimension."""
    browser = browser_of(rita)
    counts = []
    for more in (0, 100):
        store_accounts(northwind, *(account(f"X{number}", descriptions={"en": "word"}) for number in range(more)))
        with CaptureQueriesContext(connection) as queries:
            found(browser, "word")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15
