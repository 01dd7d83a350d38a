"""One element is created and changed in the admin by the rules, and with the messages, of the REST API."""

from copy import deepcopy
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override
from rest_framework.exceptions import ValidationError

from account.models import Account, AccountVersion
from account.serializers import ACCOUNT_WIRE, AccountSerializer
from bulkops.models import Plan
from currency.models import Currency
from dimensions_site.elements.declaration.labels import labels_in_messages
from dimensions_site.elements.writing.merging import Spot, put_field
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.account.samples import FULL
from tests.dimensions_site.administration.site.pages import change, errors, filled_in, typed
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, currency, read
from tests.storing import store_accounts, store_currencies


def undescribed(element: dict[str, Any]) -> dict[str, Any]:
    """The element as the form stores it while there are no accounts that could have the descriptions."""
    result = deepcopy(element)
    for id, text in ACCOUNT_WIRE.described.items():
        if ACCOUNT_WIRE.places[id].leaf.refers_to:
            put_field(result, Spot(text.path), None)
    return result


def without_stamp(element):
    return {name: value for name, value in element.items() if name != "updateInfo"}


@pytest.mark.contract("C8", "C12", "C17", "C18")
@pytest.mark.django_db(transaction=True)
def test_an_account_with_every_field_is_created(ed):
    """REST returns what was typed; the history shows who wrote it, and from where."""
    answer = browser_of(ed).post(page(Account, "add"), typed(FULL), follow=True)
    created, unknown = messages_of(answer)
    assert created == "The account 1000 was created."
    assert unknown.startswith("It was saved, but it refers to ids that do not exist in the repository: ")
    stored = read(ed.get(ed.account("elements/1000")))
    assert without_stamp(stored) == undescribed(FULL)
    assert (stored["updateInfo"]["user"], stored["updateInfo"]["origin"]) == ("ed", "INPUT_WEB")
    version = AccountVersion.objects.get()
    assert (version.change, version.change_set.user, version.change_set.channel) == ("+", "ed", "ADMIN")
    assert str(Account.objects.get().calculation_logics.get()).startswith("IC on Gross amount")


@pytest.mark.contract("C2", "C8", "C14")
def test_a_new_element_starts_with_the_defaults(ed):
    """What nobody fills in is unset, `class` is NONE, and a currency gets its own oid."""
    browser = browser_of(ed)
    form = filled_in(browser.get(page(Account, "add")))
    assert (form["dataEntryAndReporting.class"], form["rules.grossAmountEqualICSum"]) == ("NONE", "false")
    form |= {"id": "1", "descriptions:0:text": "Cash", "nature": "OTHER_STOCKS", "type": "DETAIL"}
    assert browser.post(page(Account, "add"), {**form, "conversion.conversionType": "NONE"}).status_code == 302
    body = {"nature": "OTHER_STOCKS", "type": "DETAIL", "descriptions": {"en": "Cash"}}
    ed.send("POST", ed.account(), account("2", **body, conversion={"conversionType": "NONE"}))
    one, two = (without_stamp(read(ed.get(ed.account(f"elements/{id}")))) for id in "12")
    assert {**one, "id": "2"} == two
    answer = browser.post(page(Currency, "add"), typed(currency(referenceCurrency={"id": "X", "coefficient": True})))
    assert answer.status_code == 302
    stored = read(ed.get(ed.currency("elements/EUR")))
    assert (len(stored["oid"]), stored["referenceCurrency"]["coefficient"]) == (36, True)


INVALID: list[tuple[str, dict[str, Any]]] = [
    (
        "account",
        {
            "id": " 1",
            "nature": "GOOD",
            "conversion": {"conversionType": None},
            "documentationLink": "x" * 2001,
            "dataEntryAndReporting": {"validity": {"startDate": "yesterday"}},
            "restrictions": {"ctpRestriction": {"id": "1", "description": "x" * 1001}},
            "monthlySplittingRules": {"reference": {"entityCtpFilter": "x" * 129}},
            "descriptions": {"english!": "Cash"},
            "alternativeDescriptions": {"en": "x" * 1001},
            "customAttributes": {"x" * 129: "1"},
        },
    ),
    (
        "account",
        {
            "id": None,
            "nature": None,
            "conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": "x" * 129},
            "dataEntryAndReporting": {"validity": {"startDate": "2026-02-01", "endDate": "2026-01-01"}},
            "descriptions": {"en": "Cash", "a.b/c~d": "x"},
        },
    ),
    ("account", {"descriptions": {"en": " "}}),
    ("account", {"descriptions": {}}),
    (
        "currency",
        {
            "oid": "x" * 65,
            "decimalNumbers": 21,
            "percentageDifference": "a",
            "referenceCurrency": {"coefficient": "1,5"},
        },
    ),
    ("currency", {"decimalNumbers": None, "percentageDifference": "1e5"}),
]


@pytest.mark.contract("B1", "C1", "C3", "C7", "C10", "C11", "C19")
@pytest.mark.parametrize(("dimension", "fields"), INVALID, ids=lambda value: str(value)[:60])
def test_what_rest_refuses_is_refused_at_its_field_with_the_same_words(ed, dimension, fields):
    """With labels for wire paths. A required field left empty counts as missing. Nothing is saved, nothing lost."""
    body = {**(account() if dimension == "account" else currency()), **fields}
    sent = {name: value for name, value in body.items() if value is not None and value != {"conversionType": None}}
    path = ed.account() if dimension == "account" else ed.currency()
    with labels_in_messages():
        found = ed.send("POST", path, sent).json()["errors"]
    # For blank descriptions REST quotes the JSON, which no form shows.
    instead = {"BLANK": "Enter a description in at least one language."}
    refused = {error["path"]: instead.get(error["code"], error["message"]) for error in found}
    model = Account if dimension == "account" else Currency
    answer = browser_of(ed).post(page(model, "add"), typed(body))
    assert answer.status_code == 200
    assert {path: messages[0] for path, messages in errors(answer).items()} == refused
    assert not model.objects.exists()
    text = answer.content.decode()
    assert 'role="alert"' in text
    again = filled_in(answer)
    for name, value in typed(body).items():
        # Only an option of a list can stay chosen.
        if again.get(name) != value:
            assert value in ("GOOD", "")
    answer = browser_of(ed).post(page(model, "add"), again)
    assert set(errors(answer)) == set(refused)


@pytest.mark.parametrize("text", ["Detial", "detail", "DETAILS"])
def test_a_similar_value_is_suggested_by_its_label(text):
    """In the language of the page, whether a label or a value of REST was meant."""
    field = AccountSerializer().fields["type"]
    with labels_in_messages(), override("de"), pytest.raises(ValidationError) as caught:
        field.run_validation(text)
    assert "Meinen Sie Detail?" in str(caught.value)


@pytest.mark.contract("C13")
def test_an_id_that_is_taken_is_refused_at_the_id(ed, northwind):
    """And an oid at the oid."""
    store_accounts(northwind, account())
    answer = browser_of(ed).post(page(Account, "add"), typed(account()))
    assert errors(answer) == {"id": ["There is already an element with the id '1000'."]}
    store_currencies(northwind, currency(oid="1"))
    answer = browser_of(ed).post(page(Currency, "add"), typed(currency("USD", oid="1")))
    assert errors(answer) == {"oid": ["There is already an element with the oid '1'."]}


@pytest.mark.contract("C3", "C9")
def test_entries_of_maps_are_added_changed_emptied_and_removed(ed, cash):
    """No text is null, an empty text is an empty text, and an offered row left empty is not an entry."""
    browser = browser_of(ed)
    store_accounts(cash.repository, account("2", descriptions={"en": "a", "it": "b"}))
    form = filled_in(browser.get(page(Account, "change", cash.pk)))
    assert [form[f"descriptions:{row}:key"] for row in range(3)] == ["en", "de", "it"]
    del form["descriptions:1:text"]
    form |= {
        "descriptions:1:null": "on",
        "descriptions:7:key": "fr",
        "descriptions:7:text": "",
        "descriptions:8:key": "es",
        "descriptions:8:text": "una\r\ncuenta",
        "customAttributes:0:key": "Größe",
        "customAttributes:0:text": "L",
    }
    assert browser.post(page(Account, "change", cash.pk), form).status_code == 302
    cash.refresh_from_db()
    assert cash.descriptions == {"en": "Cash", "de": None, "fr": "", "es": "una\ncuenta"}
    assert cash.custom_attributes == {"Größe": "L"}
    form = filled_in(browser.get(page(Account, "change", cash.pk)))
    kept = {name: text for name, text in form.items() if not name.startswith(("customAttributes:", "descriptions:"))}
    browser.post(page(Account, "change", cash.pk), {**kept, "descriptions:0:key": "en", "descriptions:0:text": "Cash"})
    cash.refresh_from_db()
    assert (cash.descriptions, cash.custom_attributes) == ({"en": "Cash"}, None)


@pytest.mark.contract("C3")
def test_a_key_that_is_there_twice_is_refused_at_its_row(ed, cash):
    """JSON could not say it, so the form does."""
    answer = change(browser_of(ed), cash, **{"descriptions:9:key": "en", "descriptions:9:text": "Money"})
    assert errors(answer) == {"descriptions.en": ["en is there twice; keep one of the two."]}
    assert "Money" in answer.content.decode()


@pytest.mark.contract("C3")
def test_an_offered_row_whose_name_is_changed_counts(ed, cash):
    """A typed key counts, even without a text."""
    store_accounts(cash.repository, account("2", descriptions={"en": "a", "it": "b"}))
    answer = change(browser_of(ed), cash, **{"descriptions:2:key": "italian!"})
    assert list(errors(answer)) == ["descriptions.italian!"]


@pytest.mark.contract("C19")
def test_an_empty_text_is_cleared_by_its_box_alone(ed, northwind):
    """A field with an empty text has a box beside it; unticked, the field is not set."""
    store_accounts(northwind, account(documentationLink=""))
    element = Account.objects.get()
    form = filled_in(browser_of(ed).get(page(Account, "change", element.pk)))
    assert form.pop("documentationLink:empty") == "on"
    browser_of(ed).post(page(Account, "change", element.pk), form)
    element.refresh_from_db()
    assert element.documentation_link is None


@pytest.mark.contract("C14", "C18")
def test_what_is_changed_is_saved_and_the_rest_stays(ed, northwind):
    """Only the field that was typed in differs, and the description that belonged to it; there is one more version."""
    store_accounts(northwind, FULL)
    answer = change(browser_of(ed), Account.objects.get(), **{"rules.accrual.debitAccrual.id": "7", "_continue": "1"})
    assert answer["Location"].startswith(page(Account, "change", Account.objects.get().pk))
    stored = without_stamp(read(ed.get(ed.account("elements/1000"))))
    expected = {
        **FULL["rules"],
        "accrual": {**FULL["rules"]["accrual"], "debitAccrual": {"id": "7", "description": None}},
    }
    assert stored == {**FULL, "rules": expected}
    assert AccountVersion.objects.count() == 2


@pytest.mark.contract("C1", "C2")
def test_id_and_oid_are_shown_and_never_change(ed, northwind):
    """Whatever is sent."""
    store_currencies(northwind, currency(oid="1"))
    element = Currency.objects.get()
    text = browser_of(ed).get(page(Currency, "change", element.pk)).content.decode()
    assert 'name="id"' not in text
    assert 'name="oid"' not in text
    assert change(browser_of(ed), element, id="X", oid="2", decimalNumbers="3").status_code == 302
    element.refresh_from_db()
    assert (element.element_id, element.oid, element.decimal_numbers) == ("EUR", "1", 3)


@pytest.mark.contract("B3")
def test_what_only_programs_need_stands_behind_the_other_fields(ed, northwind):
    controls = browser_of(ed).get(page(Currency, "add"), follow=True).context["form"].tabs[0].controls
    names = [control.name for control in controls if not control.is_group]
    assert (names[0], names[-1]) == ("id", "oid")


def test_numbers_of_rows_that_no_form_has_do_no_harm(ed, cash):
    """They are rows like others, or ignored."""
    answer = change(
        browser_of(ed), cash, **{"descriptions:999999:key": "it", "descriptions:x:key": "fr", "nature:1": ""}
    )
    assert answer.status_code == 302
    cash.refresh_from_db()
    assert cash.descriptions == {"en": "Cash", "de": "Kasse", "it": ""}


@pytest.mark.contract("G2")
def test_a_new_element_goes_into_a_repository_where_the_user_is_editor(ed, northwind, contoso):
    """With several repositories it is preselected; one without a grant, or with a grant only to read, is not found."""
    third = Repository.objects.create(db_id="third", name="Third")
    reading = AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.READER)
    browser = browser_of(ed)
    AccessGrant.objects.create(user=ed.user, repository=third, role=Role.EDITOR)
    text = browser.get(page(Account, "add")).content.decode()
    assert f"?repository={northwind.pk}" in text
    assert f"?repository={third.pk}" in text
    assert "contoso" not in text
    for key in (contoso.pk, 10**9, "x", "9" * 5_000, ""):
        for send in (browser.get, browser.post):
            assert send(f"{page(Account, 'add')}?repository={key}").status_code == 404
    answer = browser.post(f"{page(Account, 'add')}?repository={third.pk}", typed(account()))
    assert answer.status_code == 302
    assert Account.objects.get().repository == third
    reading.delete()


@pytest.mark.contract("G2", "G3")
def test_the_admin_stays_open_when_the_api_is_switched_off(ed, cash):
    """The switch is only for REST."""
    Repository.objects.update(api_enabled=False)
    assert change(browser_of(ed), cash, documentationLink="x").status_code == 302
    cash.refresh_from_db()
    assert cash.documentation_link == "x"


@pytest.mark.contract("C18", "G2")
@pytest.mark.django_db(transaction=True)
def test_a_manager_deletes_an_element_with_its_history(alice, ed, rita, northwind):
    """After a question; what was generated goes too. Readers do not see the button, and may not; editors propose it."""
    store_accounts(northwind, account(rules={"grossAmountEqualICSum": True}))
    address = page(Account, "delete", Account.objects.get().pk)
    browser = browser_of(rita)
    assert browser.get(address).status_code == browser.post(address, {"post": "yes"}).status_code == 403
    assert address not in browser.get(page(Account, "change", Account.objects.get().pk)).content.decode()
    assert browser_of(ed).post(address, {"post": "yes"}).status_code == 302
    assert (Plan.objects.get().deleted, Account.objects.count()) == (1, 1)
    browser = browser_of(alice)
    assert address in browser.get(page(Account, "change", Account.objects.get().pk)).content.decode()
    assert "1000" in browser.get(address).content.decode()
    assert Account.objects.exists()
    deleted = browser.post(address, {"post": "yes"}, headers={"Accept-Language": "es"}, follow=True)
    assert messages_of(deleted) == ["Eliminación correcta: cuenta “1000”."]
    assert not Account.objects.exists()
    version = AccountVersion.objects.latest("number")
    assert (version.change, version.change_set.user, version.change_set.channel) == ("-", "alice", "ADMIN")


def test_nothing_is_written_without_the_token_of_the_page(ed, cash):
    """A page of another site cannot send the form."""
    browser = Client(enforce_csrf_checks=True)
    browser_of(ed)
    browser.force_login(ed.user)
    assert browser.post(page(Account, "change", cash.pk), {"nature": "X"}).status_code == 403


@pytest.mark.parametrize("button", ["_save", "_continue"])
def test_saving_reads_the_element_four_times_at_most(ed, cash, button):
    """As a row for the page, as JSON beside the input, locked for writing, and for the keys of maps."""
    browser = browser_of(ed)
    with CaptureQueriesContext(connection) as queries:
        assert change(browser, cash, documentationLink="x", **{button: "1"}).status_code == 302
    sent = queries.captured_queries
    begun = max(at for at, query in enumerate(sent) if "django_session" in query["sql"] and "SELECT" in query["sql"])
    table = f'FROM "{cash._meta.db_table}"'
    selects = [query["sql"] for query in sent[begun:] if table in query["sql"] and query["sql"].startswith("SELECT")]
    assert len(selects) <= 4, len(selects)
