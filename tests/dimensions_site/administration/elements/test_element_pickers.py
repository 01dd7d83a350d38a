"""While one types the id of an element that is referred to, the service suggests those of the repository."""

from typing import Any

import pytest

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from tests.bulkops.save.bulk import save
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account, currency
from tests.storing import store_accounts, store_currencies


@pytest.fixture
def chart(northwind, contoso):
    store_accounts(
        northwind,
        account("10", descriptions={"en": "Bank 20"}),
        account("100", descriptions={"en": None, "de": "Kasse"}),
        account("20", descriptions={"en": "Cash", "it": "Cassa 10"}),
    )
    store_accounts(contoso, account("10C", descriptions={"de": "Contoso"}))
    store_currencies(contoso, currency("CHF", descriptions={"de": "Franken"}))


def picked(browser, repository, text):
    answer = browser.get(page(Account, "pick", repository.pk), {"q": text}).json()
    return [(found["id"], found["description"]) for found in answer["results"]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10", [("10", "Bank 20"), ("100", "Kasse"), ("20", "Cash")]),
        ("20", [("20", "Cash"), ("10", "Bank 20")]),
        ("KASSE", [("100", "Kasse")]),
        ("cassa", [("20", "Cash")]),
        ("", [("10", "Bank 20"), ("100", "Kasse"), ("20", "Cash")]),
        ("nothing", []),
        ("x" * 501, []),
    ],
    ids=lambda value: str(value)[:20],
)
def test_ids_that_begin_with_what_was_typed_come_first(chart, rita, northwind, text, found):
    """Then those in which it stands anywhere; the description is that of the list."""
    assert picked(browser_of(rita), northwind, text) == found


def test_twenty_are_suggested_and_the_list_says_that_there_are_more(rita, northwind):
    """Nobody reads a thousand suggestions."""
    store_accounts(northwind, *(account(f"{number:02}") for number in range(30)))
    answer = browser_of(rita).get(page(Account, "pick", northwind.pk), {"q": "cash"}).json()
    assert ([found["id"] for found in answer["results"]], answer["more"]) == ([f"{n:02}" for n in range(20)], True)


@pytest.mark.contract("G2")
def test_the_form_asks_only_where_the_user_may_look(chart, alice, northwind):
    """Fields that refer to accounts lead to the picker of accounts in the same repository."""
    text = browser_of(alice).get(page(Account, "change", Account.objects.get(element_id="10").pk)).content.decode()
    # The reference for the initial balance, two accruals, the splitting and twelve in the planning of cash flows.
    assert text.count(f'data-picker="{page(Account, "pick", northwind.pk)}"') == 16
    assert text.count("data-picker=") == 16


USES: list[dict[str, Any]] = [
    {"conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": "10"}},
    {"rules": {"accrual": {"creditAccrual": {"id": "10"}}}},
    {"monthlySplittingRules": {"reference": {"referenceAccount": {"id": "10", "description": "x"}}}},
    {"cashFlowPlanning": {"other": {"additionalDebitAccrualAccount": {"id": "10"}}}},
]
PATHS = [
    "conversion.referenceAccountForInitialBalance",
    "rules.accrual.creditAccrual.id",
    "monthlySplittingRules.reference.referenceAccount.id",
    "cashFlowPlanning.other.additionalDebitAccrualAccount.id",
]


def test_what_refers_to_an_element_is_listed_with_links_and_a_number(chart, rita, northwind, django_assert_num_queries):
    """With their descriptions and fields; what only holds the same text does not count. Two queries for a dimension."""
    store_accounts(
        northwind,
        *(account(f"U{number}", **use) for number, use in enumerate(USES)),
        account("APART1", restrictions={"ctpRestriction": {"id": "10"}}, documentationLink="10"),
        account("APART2", rules={"accrual": {"creditAccrual": {"id": "100", "description": "10"}}}),
    )
    browser, element = browser_of(rita), Account.objects.get(element_id="10")
    with django_assert_num_queries(6):
        text = browser.get(page(Account, "uses", element.pk), {"part": ""}).content.decode()
    assert "<html" not in text
    assert "4 references from accounts:" in text
    for number, path in enumerate(PATHS):
        heading = ACCOUNT_WIRE.places[path].heading
        address = page(Account, "change", Account.objects.get(element_id=f"U{number}").pk)
        assert f'<a href="{address}">U{number}</a> Cash ({heading})' in text
    assert "APART1" not in text
    assert "APART2" not in text
    unused = browser.get(page(Account, "uses", Account.objects.get(element_id="20").pk)).content.decode()
    assert "No accounts refer to it." in unused
    # Who follows the link, instead of having the form load it, sees a page like all others.
    assert "What refers to this" in unused
    assert "</html>" in unused


def test_of_many_uses_the_first_are_shown(chart, alice, rita):
    """And the number of all."""
    save(alice, "account", post=[account(f"U{number:04}", **USES[0]) for number in range(1_234)])
    address = page(Account, "uses", Account.objects.get(element_id="10").pk)
    text = browser_of(rita).get(address, {"part": ""}).content.decode()
    assert "1,234 references from accounts" in text
    assert text.count("<li>") == 20


@pytest.mark.parametrize(
    ("typed", "near"), [("2001", ["2000"]), ("10000", ["1000"]), ("trade", []), ("X", []), ("x" * 2_000, [])]
)
def test_an_id_that_nothing_matches_has_the_most_similar_ones_beside_it(rita, northwind, typed, near):
    """At least half of it must be the same."""
    store_accounts(northwind, *map(account, ("1000", "20", "2000", "3000")))
    answer = browser_of(rita).get(page(Account, "pick", northwind.pk), {"q": typed}).json()
    assert answer["results"] == []
    assert [found["id"] for found in answer["near"]] == near
