"""SQL in any input that reaches the database is a text like any other: found, stored and refused like harmless ones."""

import base64
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from account.serializers import ACCOUNT_WIRE
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import ValueKind
from tests.bulkops.jobs.deletions import ASYNC, start, status_of, work_now
from tests.bulkops.save.bulk import patch, save
from tests.factories import Caller, account, content, currency, read
from tests.lengths import tries
from tests.security.injections import HARMLESS, INJECTIONS, in_filter
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("B3", "C19")

TEXT_FIELDS = sorted(path for path, place in ACCOUNT_WIRE.places.items() if place.leaf.kind is ValueKind.TEXT)
OPERATORS = ("==", "!=", "=like=", "=ilike=")


@pytest.fixture
def chart(northwind: Repository, contoso: Repository) -> list[str]:
    """What is stored before, of which nothing may be revealed, changed or lost; in Contoso too."""
    store_accounts(contoso, account("secret"))
    ids = ["1000", "1010", "1020"]
    store_accounts(northwind, *map(account, ids))
    return ids


@pytest.fixture(autouse=True)
def _everything_is_still_there(chart: list[str], alice: Caller):
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


@pytest.mark.parametrize("field", ["id", "descriptions"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_value_of_a_filter_is_a_text(alice, field, operator):
    """Columns, and texts within JSON: equal to, other than, and containing it."""
    harmless = read(alice.get(alice.account(), {"filter": f"{field}{operator}{HARMLESS}"}))
    for text in INJECTIONS:
        assert read(alice.get(alice.account(), {"filter": f"{field}{operator}{in_filter(text)}"})) == harmless, text


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


@pytest.mark.parametrize("operator", ["=in=", "=out="])
def test_the_values_of_a_list_are_texts(alice, operator):
    """All of them in one condition."""
    values = ",".join(map(in_filter, INJECTIONS))
    answer = alice.get(alice.account(), {"filter": f"id{operator}({values})"})
    same(answer, alice.get(alice.account(), {"filter": f"id{operator}({HARMLESS})"}), values)


@pytest.mark.parametrize("field", ["decimalNumbers", "preferred", "percentageDifference", "updateInfo.date"])
def test_an_invalid_number_boolean_or_instant_is_refused(alice, field):
    """400, naming it: it never comes to the database."""
    harmless = alice.get(alice.currency(), {"filter": f"{field}=={HARMLESS}"})
    for text in INJECTIONS:
        answer = alice.get(alice.currency(), {"filter": f"{field}=={in_filter(text)}"})
        same(answer, harmless, text)
        assert answer.status_code == 400


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


def test_a_deletion_deletes_what_is_named_and_nothing_else(alice, chart):
    """Half of the names exist: these are gone afterwards, the others are reported as not found."""
    there, unknown = INJECTIONS[::2], INJECTIONS[1::2]
    save(alice, "account", post=[account(text) for text in there])
    oid = start(alice, INJECTIONS)
    work_now()
    assert status_of(alice, oid)["deleted"] == len(there)
    assert sorted(status_of(alice, oid)["notFound"]) == sorted(unknown)
    assert [element["id"] for element in read(alice.get(alice.account()))] == chart


def test_a_repository_and_a_deletion_are_found_by_their_exact_names(alice):
    """404, as for other names that nobody has. Of a repository a slash would make another address."""
    oid = start(alice, ["unknown"])
    no_repository = alice.get(alice.account(db_id=HARMLESS))
    no_deletion = {method: alice.send(method, alice.account(f"{ASYNC}/{HARMLESS}")) for method in ("GET", "DELETE")}
    for text in INJECTIONS:
        encoded = quote(text.replace("/", "|"), safe="")
        same(alice.get(alice.account(db_id=encoded)), no_repository, text)
        same(alice.get(alice.account(db_id=f"northwind{encoded}")), no_repository, text)
        for method, harmless in no_deletion.items():
            same(alice.send(method, alice.account(f"{ASYNC}/{oid}{encoded}")), harmless, text)
    assert status_of(alice, oid)["status"] == "RUNNING"


def test_credentials_are_texts(alice):
    """401, as for other wrong credentials, in whichever header they are sent."""
    for text in filter(str.isascii, INJECTIONS):
        basic = base64.b64encode(f"{text}:{text}".encode()).decode()
        known = base64.b64encode(f"alice:{text}".encode()).decode()
        for headers in (
            {"Authorization": f"Basic {basic}"},
            {"Authorization": f"Basic {known}"},
            {"Authorization": f"Api-Key {text}"},
            {"X-API-Key": text},
            {"Authorization": f"Bearer {text}"},
        ):
            answer = Client(headers=headers).get(alice.account())
            assert answer.status_code in (401, 429), (text, headers)


@pytest.mark.parametrize(
    "header", ["X-Request-ID", "If-Match", "If-None-Match", "Prefer", "Idempotency-Key", "Accept-Language"]
)
def test_headers_are_texts(alice, header):
    """They select only their own parameter."""
    for text in filter(str.isascii, INJECTIONS):
        answer = alice.send("PATCH", alice.account("elements/1000"), {}, **{header: text})
        assert answer.status_code in ((400,) if header == "If-Match" else (200, 400)), (text, content(answer))
