"""Writing one element: the fast way and the exact way leave the same, and only changes are written."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from account.models import Account, CalculationLogic
from currency.models import Currency
from dimensions_site.api.json.elements import RawElement
from dimensions_site.api.json.reader import read_json
from tests.account.samples import FULL
from tests.dimensions_site.elements.writing.decoders import DECODERS, DIMENSIONS, beside
from tests.dimensions_site.elements.writing.json_writing import plain
from tests.factories import account, currency, read
from tests.strategies import elements

# Not compared: the number of a version, and when it was written.
_OWN = {"id", "element_id", "update_date", "number", "change_set_id"}


def versions(model: Any, id: str) -> list[dict[str, Any]]:
    """The versions of an element, oldest first."""
    columns = [column.attname for column in model.version_model._meta.concrete_fields if column.attname not in _OWN]
    rows = model.version_model.objects.filter(element_id=id).order_by("number")
    return list(rows.values(*columns, "change_set__user", "change_set__channel"))


def returned(response: Any) -> dict[str, Any]:
    """A returned element, without its id and its last change."""
    assert response.status_code in (200, 201), response.content
    return {name: value for name, value in read(response).items() if name not in ("id", "updateInfo")}


@pytest.mark.contract("C6", "C13", "C14", "C15", "C18")
@pytest.mark.parametrize("before", [account(), FULL], ids=["minimal", "full"])
@pytest.mark.parametrize(
    ("quick", "exact"),
    [
        ({"conversion": {"conversionType": "FINAL"}}, {"conversion-conversionType": "FINAL"}),
        ({"rules": {"accrual": {"debitAccrual": {"id": "7"}}}}, {"debitAccrual": {"Accrual": {"id": "7"}}}),
        ({"cashFlowPlanning": None}, {"cashFlowPlanning": None, "rules": {"consolidaton": {}}}),
        ({"rules": {"grossAmountEqualICSum": True}}, {"rules": {"grossAmountEqualICSum": True, "consolidaton": {}}}),
    ],
)
def test_another_spelling_of_a_patch_leaves_the_same(alice, before, quick, exact):
    """The response, every version of the history and the generated logic, though other code reads it."""
    paths = [alice.account(f"elements/{id}") for id in ("1", "2")]
    for path in paths:
        alice.send("PUT", path, {**before, "id": path.rpartition("/")[2]})

    answers = [returned(alice.send("PATCH", path, patch)) for path, patch in zip(paths, (quick, exact), strict=True)]

    assert answers[0] == answers[1]
    assert answers == [returned(alice.get(path)) for path in paths]
    assert versions(Account, "1") == versions(Account, "2")
    assert len(set(CalculationLogic.objects.values_list("name", "computes", "formula"))) <= 1
    assert CalculationLogic.objects.count() in (0, 2)


@pytest.mark.contract("C15", "C18", "C19")
@pytest.mark.django_db(transaction=True)
def test_an_element_that_only_the_exact_way_reads_is_patched_like_others(alice):
    """A control character is rare; a patch to the same values leaves no version all the same."""
    path = alice.account("elements/1000")
    alice.send("POST", alice.account(), account(descriptions={"en": "Ca\x01sh"}))

    same = returned(alice.send("PATCH", path, {"type": "NORMAL", "descriptions": {"en": "Ca\x01sh"}}))
    changed = returned(alice.send("PATCH", path, {"type": "DETAIL"}))

    assert changed == same | {"type": "DETAIL"}
    assert changed["descriptions"] == {"en": "Ca\x01sh"}
    assert [version["type"] for version in versions(Account, "1000")] == ["NORMAL", "DETAIL"]


@pytest.mark.contract("C9", "C14", "C18")
@pytest.mark.django_db(transaction=True)
def test_the_order_of_the_entries_of_a_map_changes_nothing(alice):
    """A PUT with the same attributes in another order leaves the version and the entity tag."""
    attributes = {"Region": "EMEA", "Owner": None, "Cost centre": "58"}
    path = alice.account("elements/1000")
    first = alice.send("PUT", path, account(customAttributes=attributes))

    again = alice.send("PUT", path, account(customAttributes=dict(reversed(attributes.items()))))

    assert again.headers["ETag"] == first.headers["ETag"]
    assert len(versions(Account, "1000")) == 1


@pytest.mark.contract("C12", "C15")
def test_a_patch_writes_what_it_changes_and_who_did(alice):
    """Unchanged columns, and their indexes, are not written. PostgreSQL writes the version in the same statement."""
    alice.send("POST", alice.account(), FULL)

    with CaptureQueriesContext(connection) as queries:
        alice.send("PATCH", alice.account("elements/1000"), {"nature": "OTHER_STOCKS", "type": FULL["type"]})

    [update] = [query["sql"] for query in queries if 'UPDATE "account_account" SET ' in query["sql"]]
    written = update.partition('UPDATE "account_account" SET ')[2].partition(" WHERE ")[0]
    named = {
        column for column in (field.attname for field in Account._meta.concrete_fields) if f'"{column}"' in written
    }
    assert named == {"nature", "update_user", "update_date", "update_origin"}


@pytest.mark.contract("A6", "B3")
@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b'{"type": "DETAIL", "type": "NORMAL"}',
        b'{"type": "\\u0000"}',
        b"\xff",
        b'{"type": %s}' % (b"[" * 50 + b"]" * 50),
        b'{"type": %s}' % (b'{"a":' * 50 + b"1" + b"}" * 50),
        b'{"type": %s}' % (b"[" * 600 + b"]" * 600),
        b'{"type": %s}' % (b'{"a":' * 600 + b"1" + b"}" * 600),
        b'{"decimalNumbers": %s}' % (b"9" * 401),
        b'{"decimalNumbers": -%s}' % (b"9" * 400),
        b'{"decimalNumbers": 1e401}',
    ],
    ids=[
        *("broken", "twice", "NUL", "not UTF-8", "deep lists", "deep objects", "very deep lists", "very deep objects"),
        *("long number", "negative", "exponent"),
    ],
)
@pytest.mark.parametrize(
    ("method", "rest"), [("POST", "elements"), ("PUT", "elements/1000"), ("PATCH", "elements/1000")]
)
def test_what_is_wrong_as_json_is_refused_before_anything_is_locked(alice, method, rest, text):
    """Nobody waits for others to learn that, and on SQLite nobody waits for this request."""
    alice.send("POST", alice.account(), account())

    with CaptureQueriesContext(connection) as queries:
        assert alice.send(method, alice.account(rest), text).status_code == 400

    assert not [query["sql"] for query in queries if "SAVEPOINT" in query["sql"] or "account_account" in query["sql"]]


@pytest.mark.contract("C4")
def test_description_means_the_language_of_the_repository_that_is_written_to(alice, bob):
    """Turn by turn in Alice's English one and in Bob's German one, by the same thread."""
    english, german = alice.currency("elements/EUR"), bob.currency("elements/EUR", "contoso")

    for turn in range(2):
        for author, path, language in ((alice, english, "en"), (bob, german, "de")):
            text = f"Euro {turn}"
            element = returned(author.send("PUT", path, currency(descriptions={language: text}, description=text)))
            assert element["description"] == text
            element = returned(author.send("PATCH", path, {"description": f"{text}!"}))
            assert element["descriptions"] == {language: f"{text}!"}


@pytest.mark.contract("C2")
@pytest.mark.parametrize("quick", [True, False])
def test_a_new_currency_has_nothing_of_the_one_that_was_written_before(alice, quick):
    """Its oid is a new one, whichever way reads it."""
    alice.send("PUT", alice.currency("elements/EUR"), currency(oid="o-eur"))
    assert returned(alice.send("PUT", alice.currency("elements/EUR"), currency(decimalNumbers=3)))["oid"] == "o-eur"
    body = currency("USD", descriptions={"en": "Dollar"} if quick else "Dollar")

    assert returned(alice.send("POST", alice.currency(), body))["oid"] not in ("o-eur", None)
    assert returned(alice.send("PUT", alice.currency("elements/GBP"), {**body, "id": "GBP"}))["oid"] != "o-eur"
    assert Currency.objects.values("oid").distinct().count() == 3


@pytest.mark.contract("C14")
@given(st.sampled_from(sorted(DIMENSIONS)), st.data(), st.sampled_from(("", "same", "other", "null")))
def test_an_element_whose_id_the_path_names_gives_one_row(dimension: str, data: st.DataObject, has: str) -> None:
    """The id may be left out; one that differs, or is null, is for the serializer to refuse."""
    payload = data.draw(elements(DIMENSIONS[dimension][0]), label="element")
    id = payload.pop("id")
    payload |= {"": {}, "same": {"id": id}, "other": {"id": f"{id}-"[-128:]}, "null": {"id": None}}[has]
    decoder = DECODERS[dimension]

    row = decoder.fast(RawElement(plain(payload)), beside(None, id))

    if row is not None:
        exact = decoder.exact(read_json(plain(payload)), beside(None, id))
        oid = decoder.columns.index("oid") if dimension == "currency" and "oid" not in payload else -1
        assert [value for at, value in enumerate(row) if at != oid] == [v for at, v in enumerate(exact) if at != oid]
        assert has in ("", "same") or id == f"{id}-"[-128:]
