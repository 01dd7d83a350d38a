"""Deleted elements are listed, the last one first, and come back with their id."""

import pytest
from django.db import connection, transaction

from account.models import Account
from currency.models import Currency, CurrencyVersion
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.writing.restoring import deleted_elements
from dimensions_site.elements.writing.saving import delete
from tests.bulkops.save.bulk import element, without
from tests.dimensions import MODELS, WIRES
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, currency
from tests.random_elements import RandomElements
from tests.services.citus import IS_CITUS
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("C18")]


def delete_all(model, repository):
    rows = model.objects.filter(repository=repository)
    delete(rows, repository, Actor(SYSTEM, Channel.REST))


def listed(browser, model, **query):
    """The ids on a page of the deleted elements."""
    return [row.element_id for row, *_ in browser.get(page(model, "deleted_elements"), query).context["deleted"]]


def restore_last(browser, model, id):
    deletion = model.version_model.objects.filter(element_id=id, change="-").latest("number")
    return browser.post(page(model, "restore", deletion.pk), {"is_deleted": "yes"}, follow=True)


@pytest.fixture
def deleted(northwind, contoso):
    """Three deleted accounts and currencies in Northwind, and one of each in Contoso."""
    store_accounts(northwind, *map(account, ("1000", "1010", "a2")))
    store_currencies(northwind, *map(currency, ("1000", "1010", "a2")))
    store_accounts(contoso, account("c1000"))
    store_currencies(contoso, currency("c1000"))
    for repository in (northwind, contoso):
        for model in MODELS.values():
            delete_all(model, repository)


@pytest.mark.contract("G2")
@pytest.mark.parametrize("dimension", MODELS)
def test_the_deleted_elements_of_open_repositories_are_listed(deleted, rita, dimension):
    """With description and author; those of another repository are neither listed nor found."""
    browser = browser_of(rita)
    model = MODELS[dimension]
    assert sorted(listed(browser, model)) == ["1000", "1010", "a2"]
    text = browser.get(page(model, "deleted_elements")).content.decode()
    assert "system" in text
    assert ("Cash" if dimension == "account" else "Euro") in text
    assert "c1000" not in text
    assert "Contoso" not in text
    others = model.version_model.objects.get(element_id="c1000", change="-").pk
    assert browser.get(page(model, "version", others)).status_code == 404
    assert browser.post(page(model, "restore", others), {"is_deleted": "yes"}).status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "10"}, ["1000", "1010"]),
        ({"q": "A2"}, ["a2"]),
        ({"q": "100%"}, []),
        ({"q": "c1"}, []),
        ({"q": "x" * 501}, []),
        ({"p": "2"}, ["1000", "1010", "a2"]),
        ({"p": "-1"}, ["1000", "1010", "a2"]),
        ({"p": "9" * 40}, ["1000", "1010", "a2"]),
        ({"p": "x"}, ["1000", "1010", "a2"]),
    ],
)
def test_a_search_finds_parts_of_ids_and_no_query_fails(deleted, rita, query, found):
    """Whatever case the letters have, on both databases."""
    browser = browser_of(rita)
    for model in MODELS.values():
        assert sorted(listed(browser, model, **query)) == found


def test_the_list_has_pages_and_costs_the_same_for_each(northwind, rita, django_assert_max_num_queries):
    """They are not counted; the last deletion stands first."""
    store_currencies(northwind, *(currency(f"X{number:03}") for number in range(230)))
    for number in range(230):
        rows = Currency.objects.filter(element_id=f"X{number:03}")
        delete(rows, northwind, Actor(SYSTEM, Channel.REST))
    browser = browser_of(rita)
    for query, first, last in (({}, "X229", "X130"), ({"p": "2"}, "X129", "X030"), ({"p": "3"}, "X029", "X000")):
        with django_assert_max_num_queries(11):
            found = listed(browser, Currency, **query)
        assert (found[0], found[-1]) == (first, last)
    text = browser.get(page(Currency, "deleted_elements"), {"q": "X", "p": "2"}).content.decode()
    assert 'href="?q=X&amp;p=1"' in text
    assert 'href="?q=X&amp;p=3"' in text


@pytest.mark.parametrize("dimension", MODELS)
def test_a_deleted_element_comes_back_exactly_as_it_was(alice, ed, northwind, dimension):
    """Random elements with all that they had, the oid of a currency included; they leave the list."""
    source = RandomElements(WIRES[dimension], seed=13)
    model = MODELS[dimension]
    browser = browser_of(ed)
    for body in source.many(8):
        assert alice.send("POST", alice.elements(dimension), body).status_code == 201
    before = {id: element(alice, dimension, id) for id in model.objects.values_list("element_id", flat=True)}
    delete_all(model, northwind)
    assert sorted(listed(browser, model)) == sorted(before)

    for id in before:
        response = restore_last(browser, model, id)
        assert "was restored to the version of" in messages_of(response)[0]
        assert response.redirect_chain[-1][0] == page(model, "history", model.objects.get(element_id=id).pk)

    for id, old in before.items():
        assert without(element(alice, dimension, id)) == without(old)
    assert listed(browser, model) == []


def test_any_version_of_a_deleted_element_can_be_restored(alice, northwind):
    """Not only the last one; its page shows them all."""
    alice.send("POST", alice.currency(), currency(decimalNumbers=1))
    alice.send("PATCH", alice.currency("elements/EUR"), {"decimalNumbers": 2})
    delete_all(Currency, northwind)
    browser = browser_of(alice)
    first, *_, last = CurrencyVersion.objects.order_by("number")
    response = browser.get(page(Currency, "version", last.pk))
    assert [version.row.change for version in response.context["versions"]] == ["-", "~", "+"]
    assert response.content.decode().count("Restore this version") == 3
    browser.post(page(Currency, "restore", first.pk), {"is_deleted": "yes"})
    assert Currency.objects.get().decimal_numbers == 1


def test_a_taken_id_is_refused_with_a_message(alice, northwind):
    """Somebody has created an element with this id in the meantime, and it stays as it is."""
    alice.send("POST", alice.currency(), currency(decimalNumbers=1))
    delete_all(Currency, northwind)
    alice.send("POST", alice.currency(), currency(decimalNumbers=5))
    browser = browser_of(alice)
    messages = messages_of(restore_last(browser, Currency, "EUR"))
    assert messages == ["Not restored: There is already an element with the id 'EUR'."]
    assert Currency.objects.get().decimal_numbers == 5
    assert listed(browser, Currency) == []


def test_an_element_that_was_deleted_twice_is_listed_once(alice, northwind):
    """With its last deletion."""
    for decimals in (1, 2):
        alice.send("POST", alice.currency(), currency(decimalNumbers=decimals))
        delete_all(Currency, northwind)
    browser = browser_of(alice)
    assert listed(browser, Currency) == ["EUR"]
    restore_last(browser, Currency, "EUR")
    assert Currency.objects.get().decimal_numbers == 2


def test_readers_look_at_deleted_elements_and_restore_none(deleted, rita):
    """Restoring is editing."""
    browser = browser_of(rita)
    deletion = CurrencyVersion.objects.filter(change="-", element_id="a2").get()
    text = browser.get(page(Currency, "version", deletion.pk)).content.decode()
    assert "a2" in text
    assert "Restore this version" not in text
    assert restore_last(browser, Currency, "a2").status_code == 403
    assert not Currency.objects.exists()


if connection.vendor == "postgresql" and not IS_CITUS:

    def test_the_list_reads_each_deletion_a_few_times(northwind, contoso):
        """Also where PostgreSQL takes the table for empty: the first were created and deleted just now."""
        size = 1_500
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE account_account, account_accountversion")
        store_accounts(northwind, *(account(f"{number}") for number in range(size)))
        delete_all(Account, northwind)
        with transaction.atomic(), connection.cursor() as cursor:
            assert len(deleted_elements(Account, [northwind.pk, contoso.pk])) == size
            cursor.execute(
                "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables "
                "WHERE relname = 'account_accountversion'"
            )
            assert cursor.fetchone()[0] < 10 * size
