"""The list is light: few bytes for each row, and no file that the page does not use."""

import re

import pytest

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import account
from tests.storing import store_accounts

STORED = 5_000
MOST_HTML = 150_000
# All files that a browser loads for the page before they are compressed, its fonts included.
MOST_ASSETS = 600_000
# Nothing on the pages of elements needs them.
NEEDLESS = ("chart", "xregexp", "select2", "jquery", "calendar", "simplebar", "sortable", "RelatedObjectLookups")


@pytest.fixture
def chart(northwind):
    """A chart like that of a group, by copies of one account."""
    words = {"en": "Loss allowance for expected credit losses on trade receivables", "de": "Wertberichtigung"}
    store_accounts(northwind, account("0000", descriptions=words, nature="GUARANTIES_AND_COMMITMENTS"))
    (one,) = Account.objects.all()
    values = {field.attname: getattr(one, field.attname) for field in Account._meta.concrete_fields}
    del values["id"]
    Account.objects.bulk_create(
        Account(**{**values, "element_id": f"{number:04}"}) for number in range(1, STORED)
    )  # fmt: skip


def loaded(browser, html):
    """The files that the page and its style sheets name, with their sizes; of Inter the Latin letters only."""
    addresses = set(re.findall(r'(?:src|href)="(/[^"]*(?:\.js|\.css|\.svg|jsi18n/))"', html))
    sizes = {}
    while addresses:
        address = addresses.pop()
        answer = browser.get(address)
        assert answer.status_code == 200, address
        content = answer.getvalue()
        sizes[address] = len(content)
        if address.endswith("fonts.css"):
            folder = address.rpartition("/")[0]
            addresses |= {f"{folder}/{name}" for name in ("inter/inter-latin-wght-normal.woff2", "icons/icons.woff2")}
            for name in re.findall(r"url\(([^)]+)\)", content.decode()):
                assert browser.get(f"{folder}/{name}").getvalue().startswith(b"wOF2")
    return sizes


def test_a_page_of_a_large_chart_is_light(chart, rita):
    """HTML and files before compression."""
    browser = browser_of(rita)
    answer = browser.get(page(Account))
    html = answer.content.decode()
    assert html.count('class="action-select"') == 50
    assert len(answer.content) < MOST_HTML
    sizes = loaded(browser, html)
    assert sum(sizes.values()) < MOST_ASSETS, sizes
    assert [address for address in sizes for word in NEEDLESS if word in address] == []


def test_a_page_with_searches_filters_and_several_repositories_is_light(chart, rita):
    """Each link of a row carries the search and the filters back to the list."""
    for number in range(200):
        repository = Repository.objects.create(db_id=f"r{number}", name=f"Repository {number}", default_language="en")
        AccessGrant.objects.create(user=rita.user, repository=repository, role=Role.READER)
    query = {"q": "loss allowance wertberichtigung", "nature__exact": "GUARANTIES_AND_COMMITMENTS", "o": "2"}
    answer = browser_of(rita).get(page(Account), query)
    assert answer.content.decode().count('class="action-select"') == 50
    assert len(answer.content) < MOST_HTML


def test_a_form_of_the_theme_has_the_scripts_that_it_needs(rita):
    """They are left out where no form is."""
    browser = superuser()
    form = browser.get(page(Repository, "add")).content.decode()
    assert "alpine.anchor.js" in form
    assert "alpine.anchor.js" not in browser.get(page(Repository)).content.decode()
