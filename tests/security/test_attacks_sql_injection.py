"""SQL in any input that reaches the database is a text like any other: found, stored and refused like harmless ones."""

from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection

from account.serializers import ACCOUNT_WIRE
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import ValueKind
from tests.bulkops.jobs.deletions import ASYNC
from tests.bulkops.save.bulk import patch, save
from tests.factories import Person, account, content, currency, read
from tests.lengths import tries
from tests.security.injections import HARMLESS, INJECTIONS, in_filter
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("B3", "C19")

TEXT_FIELDS = sorted(path for path, place in ACCOUNT_WIRE.places.items() if place.leaf.kind is ValueKind.TEXT)


@pytest.fixture
def chart(northwind: Repository, contoso: Repository) -> list[str]:
    """What is stored before, of which nothing may be revealed, changed or lost; in Contoso too."""
    store_accounts(contoso, account("secret"))
    ids = ["1000", "1010", "1020"]
    store_accounts(northwind, *map(account, ids))
    return ids


@pytest.fixture(autouse=True)
def _everything_is_still_there(chart: list[str], alice: Person):
    before = read(alice.get(alice.account()))
    yield
    assert read(alice.get(alice.account(), {"filter": "id=in=(1000,1010,1020)"})) == before
    assert Repository.objects.count() == 2
    assert not User.objects.filter(is_superuser=True).exists()
    assert {"account_account", "auth_user"} <= set(connection.introspection.table_names())


def same(answer, harmless, text: str) -> None:
    """The two answers differ in the text that was sent, and in nothing else."""
    assert answer.status_code == harmless.status_code, (text, content(answer)[:500])
    if answer.status_code == 200:
        assert content(answer) == content(harmless), text
    else:
        assert answer.json()["code"] == harmless.json()["code"], text


def test_values_of_every_text_field_are_texts(alice):
    """Many in one filter: no element is like any of them, and all are unlike each.

    The short form divides the texts among every four fields.
    """
    parts = tries(4, long=1)
    for number, field in enumerate(TEXT_FIELDS):
        texts = INJECTIONS[number % parts :: parts]
        for operators, joint, found in ((("==", "=ilike="), ",", 0), (("!=",), ";", 3)):
            # A filter may have fifty conditions, and a limited number of characters.
            share = len(INJECTIONS) // len(operators)
            for first in range(0, len(texts), share):
                part = texts[first : first + share]
                conditions = [f"{field}{operator}{in_filter(text)}" for text in part for operator in operators]
                answer = alice.get(alice.account("elements-count"), {"filter": joint.join(conditions)})
                assert answer.json() == found, (field, operators, first)


@pytest.mark.parametrize(
    ("rest", "parameter", "form"),
    [
        ("elements", "filter", "{}==1"),
        ("elements", "filter", "descriptions.{}==1"),
        ("elements", "filter", "{}"),
        ("elements", "sort", "{}"),
        ("elements", "sort", "-{}"),
        ("elements", "sort", "id:{}"),
        ("elements", "sort", "descriptions.{}"),
        ("elements", "skip", "{}"),
        ("elements", "take", "1{}"),
        ("elements-fetch", "properties", "{}"),
        ("elements-fetch", "properties", "descriptions.{}"),
        (ASYNC, "skip", "{}"),
    ],
)
def test_what_names_a_field_or_a_number_is_refused(alice, rest, parameter, form):
    """Names come from a table of our own, never from the client: 400, and for a language 400 too."""
    for text in INJECTIONS:
        answer = alice.get(alice.account(rest), {parameter: form.format(text)})
        assert answer.status_code == 400, (text, content(answer)[:500])
        assert {error["path"] for error in answer.json()["errors"]} == {parameter}


@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_an_id_is_a_text(alice, dimension):
    """Unknown it is 404; created it is found under its own name, changed and listed, alone and in a bulk save."""
    path, body = (alice.account, account()) if dimension == "account" else (alice.currency, currency())
    harmless = alice.get(path(f"elements/{HARMLESS}"))
    for text in INJECTIONS:
        address = path(f"elements/{quote(text, safe='')}")
        same(alice.get(address), harmless, text)
        assert alice.send("PUT", address, {**body, "id": text}).status_code == 201
        assert alice.send("PATCH", address, {"descriptions": {"en": text}}).json()["descriptions"]["en"] == text
        assert read(alice.get(address))["id"] == text
        found = read(alice.get(path(), {"filter": f"id=={in_filter(text)}"}))
        assert [element["id"] for element in found] == [text]


@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_a_bulk_save_stores_texts(alice, dimension):
    """Its own statements and PostgreSQL's COPY know texts as values only: ids, descriptions, attributes."""
    new = account if dimension == "account" else currency
    posted = [new(text, descriptions={"en": text}) for text in INJECTIONS]
    if dimension == "account":
        posted = [{**element, "customAttributes": {element["id"]: element["id"]}} for element in posted]
    save(alice, dimension, post=posted)
    changes = [patch(text, descriptions={"en": f"{text}!"}) for text in INJECTIONS]
    save(alice, dimension, patch=changes)
    stored = {element["id"]: element for element in read(alice.get(alice.elements(dimension)))}
    for text in INJECTIONS:
        assert stored[text]["descriptions"]["en"] == f"{text}!"
        assert stored[text].get("customAttributes", {text: text}) == {text: text}
