"""The page with the accounts as a tree: of one repository, within the user's grants, opened on demand."""

import pytest

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions_site.administration.site.pages import lasting
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

TREE = page(Account, "tree")


@pytest.fixture
def chart(northwind):
    words = {"en": "Revenue", "de": "Umsatz"}
    store_accounts(northwind, account("4", descriptions=words), *(account(f"4{number}") for number in range(10, 20)))
    store_accounts(northwind, account("9/1&x", descriptions={"en": "<b>Odd</b>"}))


def test_it_shows_headings_with_their_description_and_what_is_below(chart, rita):
    """In the language of the page, with links to the accounts; a level below has an address of its own."""
    browser = browser_of(rita)
    text = browser.get(TREE, headers={"Accept-Language": "de"}).content.decode()
    assert page(Account, "change", Account.objects.get(element_id="4").pk) in text
    assert "Umsatz" in text
    assert "4 – 419 · 10" in text
    assert "&lt;b&gt;Odd" in text
    assert "419</a>" not in text
    below = browser.get(TREE, {"under": "4"}).content.decode()
    assert "419</a>" in below


def test_a_level_that_htmx_loads_comes_without_the_page(chart, rita, northwind):
    """So that it can be put into the page."""
    answer = browser_of(rita).get(TREE, {"repository": northwind.pk, "under": "4"}, headers={"HX-Request": "true"})
    assert answer.content.decode().lstrip().startswith('<ul class="tree-level">')
    assert "HX-Request" in answer.headers["Vary"]


@pytest.mark.contract("G2")
def test_of_several_repositories_one_is_chosen_and_others_do_not_exist(chart, rita, northwind, contoso):
    """A repository without a grant is 404, as one that is not there."""
    store_accounts(contoso, account("C-CODE"))
    browser = browser_of(rita)
    for key in (contoso.pk, 10**9, "x", "1'"):
        assert browser.get(TREE, {"repository": key}).status_code == 404
    AccessGrant.objects.create(user=rita.user, repository=contoso, role=Role.READER)
    text = browser.get(TREE).content.decode()
    assert "Contoso" in text
    assert "C-CODE" not in text
    assert "C-CODE" in browser.get(TREE, {"repository": contoso.pk}).content.decode()
    AccessGrant.objects.filter(user=rita.user).delete()
    assert browser.get(TREE).status_code == 403


@pytest.mark.parametrize(("under", "status"), [("\0", 400), ("x" * 501, 404)])
def test_an_impossible_beginning_is_refused(chart, rita, under, status):
    """No id is like that."""
    assert browser_of(rita).get(TREE, {"under": under}).status_code == status


def test_a_beginning_that_no_id_has_shows_that_nothing_is_there(chart, rita):
    """Somebody may have deleted what was there."""
    assert "Nothing is here." in browser_of(rita).get(TREE, {"under": "nowhere"}).content.decode()


def test_the_list_leads_to_the_tree_of_its_repository(chart, rita, northwind):
    """The currencies have none."""
    assert f"{TREE}?repository={northwind.pk}" in browser_of(rita).get(page(Account)).content.decode()


def test_a_search_shows_what_is_found(chart, rita):
    """By the beginning of an id, or by words."""
    browser = browser_of(rita)
    text = browser.get(TREE, {"q": "umsatz"}).content.decode()
    assert f'<a href="{page(Account, "change", Account.objects.get(element_id="4").pk)}">4</a>' in text
    assert "Odd" not in lasting(text)
    assert "Nothing found" in browser.get(TREE, {"q": "nowhere"}).content.decode()


def test_all_levels_can_be_opened_at_once(chart, rita, monkeypatch):
    """As long as there are not too many."""
    browser = browser_of(rita)
    assert "419</a>" in browser.get(TREE, {"open": "all"}).content.decode()
    monkeypatch.setattr("dimensions_site.elements.reading.ranges.OPENED_ELEMENTS", 3)
    text = browser.get(TREE, {"open": "all"}).content.decode()
    assert "419</a>" not in text
    assert "Open a part first." in text
