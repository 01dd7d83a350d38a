"""How large an element may be, and which characters its id may have, however it is written."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from account.models import Account
from currency.models import Currency
from dimensions_site.elements.declaration.structs import Sizes
from dimensions_site.repositories.models import Role
from tests.account.samples import FULL as FULL_ACCOUNT
from tests.bulkops.save.bulk import patch, refused, send
from tests.currency.samples import FULL as FULL_CURRENCY
from tests.dimensions import MODELS
from tests.dimensions_site.elements.writing.decoders import DECODERS
from tests.factories import account, content, currency, read

pytestmark = pytest.mark.contract("C20")

LIMIT = 256 * 1024


def entries(count: int, text: str | None = None) -> dict[str, str | None]:
    """A map of custom attributes with that many entries."""
    return {f"k{number:04}": text for number in range(count)}


def measured(element: dict[str, Any]) -> int:
    """The size of a returned element: its JSON without white space and read-only members."""
    written = {name: value for name, value in element.items() if name not in ("updateInfo", "description")}
    return len(json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode())


def of_size(alice: Any, size: int, id: str = "1000") -> dict[str, Any]:
    """The body of an account that is returned with that `size`."""
    alice.send("PUT", alice.account(f"elements/{id}"), account(id, customAttributes=entries(200, "")))
    least = measured(read(alice.get(alice.account(f"elements/{id}"))))
    texts = entries(200, "")
    missing = size - least
    # Each umlaut is one character, and two bytes.
    for name in texts:
        taken = min(missing, 2_000)
        texts[name] = "ü" * (taken // 2) + "x" * (taken % 2)
        missing -= taken
    assert missing == 0
    return account(id, customAttributes=texts)


def errors(response: Any) -> list[tuple[str, str]]:
    """Path and code of each error of a refusal."""
    return [(error["path"], error["code"]) for error in refused(response)["errors"]]


def bulk(alice: Any, dimension: str, body: Any) -> int:
    """The status of a bulk save whose response is read to its end."""
    response = send(alice, dimension, body)
    content(response)
    status: int = response.status_code
    return status


@pytest.mark.parametrize("name", ["descriptions", "alternativeDescriptions", "customAttributes"])
def test_a_map_has_at_most_200_entries(alice, name):
    """One more is refused when it is created, replaced or patched, alone and among many, with both numbers."""

    def languages(count: int) -> dict[str, Any]:
        return {name: {f"en-{number:04}": "x" for number in range(count)}}

    path = alice.account("elements/1000")
    assert alice.send("POST", alice.account(), account(**languages(200))).status_code == 201
    too_many = account(**languages(201))
    patched = {name: {"fr": "one more"}}
    for response in (
        alice.send("POST", alice.account(), too_many | {"id": "2000"}),
        alice.send("PUT", path, too_many),
        alice.send("PATCH", path, patched),
    ):
        [error] = refused(response)["errors"]
        assert (error["path"], error["code"]) == (name, "TOO_LARGE")
        assert "200" in error["message"]
        assert "201" in error["message"]
    body = {
        "post": [too_many | {"id": "2000"}],
        "put": [too_many | {"id": "3000"}],
        "patch": [patch("1000", **patched)],
    }
    assert errors(send(alice, "account", body)) == [
        (f"/post/0/{name}", "TOO_LARGE"),
        (f"/put/0/{name}", "TOO_LARGE"),
        (f"/patch/0/data/{name}", "TOO_LARGE"),
    ]
    assert alice.send("PATCH", path, {name: {"en-0001": "y"}}).status_code == 200


@pytest.mark.contract("B1")
def test_the_entries_of_a_map_that_has_too_many_are_checked(alice):
    """A client that leaves out some of them must not learn of the others only then."""
    entries = {f"en-{number:04}": "x" for number in range(200)}
    attributes = {**entries, "number": 1}
    wrong = account(alternativeDescriptions={**entries, "no tag": "x"}, customAttributes=attributes)
    assert errors(alice.send("POST", alice.account(), wrong)) == [
        ("alternativeDescriptions", "TOO_LARGE"),
        ("alternativeDescriptions.no tag", "INVALID_KEY"),
        ("customAttributes", "TOO_LARGE"),
        ("customAttributes.number", "INVALID"),
    ]


def test_an_element_at_the_limit_goes_round(alice):
    """What `GET` returns for an element of exactly 256 KiB is a valid body of a `PUT`; one byte more is refused."""
    path = alice.account("elements/1000")
    assert alice.send("PUT", path, of_size(alice, LIMIT)).status_code == 200
    answered = content(alice.get(path))
    assert measured(json.loads(answered)) == LIMIT
    assert alice.send("PUT", path, answered).status_code == 200
    assert bulk(alice, "account", b'{"put":[' + answered + b"]}") == 200
    assert alice.send("PATCH", path, {"documentationLink": None}).status_code == 200
    larger = of_size(alice, LIMIT + 1, "2000")
    for response, place in (
        (alice.send("PUT", alice.account("elements/2000"), larger), ""),
        (alice.send("POST", alice.account(), larger | {"id": "3000"}), ""),
        (alice.send("PATCH", path, {"documentationLink": "x" * 10}), ""),
        (send(alice, "account", {"put": [larger]}), "/put/0"),
        (send(alice, "account", {"patch": [patch("1000", documentationLink="x" * 10)]}), "/patch/0/data"),
    ):
        [error] = refused(response)["errors"]
        assert (error["path"], error["code"]) == (place, "TOO_LARGE")
        assert "262,144" in error["message"]
        assert "customAttributes" in error["message"]


@pytest.mark.parametrize(
    ("dimension", "payload"),
    [("account", FULL_ACCOUNT), ("account", account()), ("currency", FULL_CURRENCY), ("currency", currency())],
)
def test_the_size_is_that_of_what_is_answered(alice, dimension, payload):
    """To the byte, whether it is measured before it is stored or as it is stored."""
    path = alice.elements(dimension, f"elements/{payload['id']}")
    answered = content(alice.send("PUT", path, payload)).decode()
    decoder = DECODERS[dimension]
    model = MODELS[dimension]
    row = decoder.row_of(model._base_manager.get(element_id=payload["id"]))
    sizes: Sizes = decoder._sizes
    assert sizes._names + sum(sizes._lengths(row)) == sizes.of_stored(answered) == measured(json.loads(answered))


# --- What was stored before the limits existed --------------------------------------------------


@pytest.fixture
def old(alice, settings) -> dict[str, Any]:
    """An account from before the limits: 300 attributes, and 290 KB."""
    settings.ELEMENT_MAX_MAP_ENTRIES, settings.ELEMENT_MAX_SIZE = 1_000, 1024**2
    response = alice.send("POST", alice.account(), account(customAttributes=entries(300, "x" * 950)))
    assert response.status_code == 201
    settings.ELEMENT_MAX_MAP_ENTRIES, settings.ELEMENT_MAX_SIZE = 200, LIMIT
    element: dict[str, Any] = read(response)
    return element


@pytest.mark.contract("C20", "C14")
def test_an_older_larger_element_can_be_read_replaced_by_itself_and_deleted(alice, old):
    """`PUT` accepts what `GET` returns for it, alone and among many."""
    path = alice.account("elements/1000")
    assert read(alice.get(path)) == old
    assert alice.send("PUT", path, old).status_code == 200
    assert bulk(alice, "account", {"put": [old]}) == 200
    alice.user.access_grants.update(role=Role.MANAGER)
    assert alice.send("POST", alice.account("elements-bulk-delete-async"), [{"id": "1000"}]).status_code == 202


@pytest.mark.contract("C20", "C15")
def test_an_older_larger_element_can_be_made_smaller_step_by_step(alice, old):
    """A write may leave it too large, but not make it larger; this applies to each map, and to the whole."""
    path = alice.account("elements/1000")
    assert alice.send("PATCH", path, {"customAttributes": {"k0000": "short"}}).status_code == 200
    assert errors(alice.send("PATCH", path, {"customAttributes": {"new": None}})) == [("customAttributes", "TOO_LARGE")]
    assert errors(alice.send("PATCH", path, {"documentationLink": "x" * 2_000})) == [("", "TOO_LARGE")]
    assert bulk(alice, "account", {"patch": [patch("1000", customAttributes={"k0001": ""})]}) == 200
    fewer = old | {"customAttributes": entries(250, "x" * 950)}
    assert alice.send("PUT", path, fewer).status_code == 200
    assert errors(alice.send("PUT", path, old)) == [("customAttributes", "TOO_LARGE")]
    assert errors(send(alice, "account", {"put": [old]})) == [("/put/0/customAttributes", "TOO_LARGE")]
    assert bulk(alice, "account", {"put": [fewer | {"customAttributes": entries(249)}]}) == 200


# --- Bidirectional control characters ------------------------------------------------------------

BIDIRECTIONAL = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]


@pytest.mark.contract("C20", "C1")
@pytest.mark.parametrize("character", BIDIRECTIONAL, ids=[f"{ord(c):04X}" for c in BIDIRECTIONAL])
def test_an_id_has_no_bidirectional_control_characters(alice, character):
    """However it is written; the message names the character by its number, and its position."""
    for make, dimension in ((account, "account"), (currency, "currency")):
        element = make(f"ab{character}c")
        for response, path in (
            (alice.send("POST", alice.elements(dimension), element), "id"),
            (alice.send("PUT", alice.elements(dimension, f"elements/{quote(element['id'])}"), element), "id"),
            (send(alice, dimension, {"post": [element]}), "/post/0/id"),
            (send(alice, dimension, {"put": [element]}), "/put/0/id"),
        ):
            [error] = refused(response)["errors"]
            assert (error["path"], error["code"]) == (path, "INVALID_CHARACTER")
            assert f"U+{ord(character):04X} (at position 3)" in error["message"]
            assert character not in error["message"]


@pytest.mark.contract("C20", "C1")
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_an_older_id_with_such_a_character_stays_usable(alice, dimension):
    """The element is read, replaced and modified under it, alone and among many, and deleted."""
    id = "ab\u202ec"
    make, model = {"account": (account, Account), "currency": (currency, Currency)}[dimension]
    alice.send("POST", alice.elements(dimension), make("old"))
    model._base_manager.filter(element_id="old").update(element_id=id)
    path = alice.elements(dimension, f"elements/{quote(id)}")
    element = read(alice.get(path))
    assert element["id"] == id
    for response in (
        alice.send("PUT", path, element),
        alice.send("PATCH", path, {"descriptions": {"fr": "x"}}),
        send(alice, dimension, {"put": [element]}),
        send(alice, dimension, {"patch": [patch(id, descriptions={"fr": "y"})]}),
    ):
        assert (content(response), response.status_code)[1] == 200
    alice.user.access_grants.update(role=Role.MANAGER)
    start = alice.elements(dimension, "elements-bulk-delete-async")
    assert alice.send("POST", start, [{"id": id}]).status_code == 202
