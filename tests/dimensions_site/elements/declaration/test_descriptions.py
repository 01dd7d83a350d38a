"""Descriptions in many languages and in the default one."""

import pytest

from tests.factories import account, currency, read


@pytest.mark.contract("C3")
@pytest.mark.parametrize(
    "descriptions",
    [
        {"en": "Cash"},
        {"en": "Cash", "it": None, "fr": ""},
        {"de-CH": "Kasse", "zh_Hant_TW": "現金", "EN": "CASH", "ger": "x" * 1000, "sr-Latn-RS": " Kasa "},
        {"fr": "Caisse", "en": " "},
    ],
)
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_descriptions_come_back_as_they_were_sent(alice, dimension, descriptions):
    """Nulls, empty texts and blanks are kept; one non-blank text is enough."""
    if dimension == "account":
        response = alice.send("POST", alice.account(), account(descriptions=descriptions))
    else:
        response = alice.send("POST", alice.currency(), currency(descriptions=descriptions))

    assert response.status_code == 201, response.content
    assert read(response)["descriptions"] == descriptions


@pytest.mark.contract("C3")
@pytest.mark.parametrize(
    ("descriptions", "path"),
    [
        ({}, "descriptions"),
        ({"en": None, "it": ""}, "descriptions"),
        ({"en": " \t\u00a0"}, "descriptions"),
        (None, "descriptions"),
        (5, "descriptions"),
        ([], "descriptions"),
        ({"en": 5}, "descriptions.en"),
        ({"en": "Cash", "it": {}}, "descriptions.it"),
        ({"en": "x" * 1001}, "descriptions.en"),
        ({"english": "Cash"}, "descriptions.english"),
        ({"e": "Cash"}, "descriptions.e"),
        ({"en-": "Cash"}, "descriptions.en-"),
        ({"en\n": "Cash"}, "descriptions.en\n"),
        ({"": "Cash"}, 'descriptions.""'),
    ],
)
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_what_describes_nothing_is_refused(alice, dimension, descriptions, path):
    """No text, only blank ones, an invalid language, too long: the error is at the entry, or at the map."""
    if dimension == "account":
        response = alice.send("POST", alice.account(), account(descriptions=descriptions))
    else:
        response = alice.send("POST", alice.currency(), currency(descriptions=descriptions))

    assert response.status_code == 400
    assert [error["path"] for error in response.json()["errors"]] == [path]


@pytest.mark.contract("C3")
def test_alternative_descriptions_follow_the_same_rules_but_may_say_nothing(alice):
    """An empty map and one of nulls are kept; a language must still be valid."""
    for descriptions in ({}, {"en": None}, None):
        element = read(
            alice.send("PUT", alice.account("elements/1"), account("1", alternativeDescriptions=descriptions))
        )
        assert element["alternativeDescriptions"] == descriptions
    refused = alice.send("PUT", alice.account("elements/1"), account("1", alternativeDescriptions={"english": "x"}))

    assert [error["path"] for error in refused.json()["errors"]] == ["alternativeDescriptions.english"]


@pytest.mark.contract("C4")
@pytest.mark.parametrize(
    ("sent", "descriptions"),
    [
        ({"description": "Euro"}, {"en": "Euro"}),
        ({"descriptions": "Euro"}, {"en": "Euro"}),
        ({"descriptions": "Euro", "description": "Euro"}, {"en": "Euro"}),
        ({"descriptions": {"en": "Euro", "it": "Euro"}, "description": "Euro"}, {"en": "Euro", "it": "Euro"}),
        ({"descriptions": {"it": "Euro"}, "description": "The euro"}, {"it": "Euro", "en": "The euro"}),
        ({"descriptions": {"it": "Euro"}, "description": None}, {"it": "Euro"}),
        ({"descriptions": {"it": "Euro", "en": None}, "description": None}, {"it": "Euro", "en": None}),
    ],
)
def test_a_currency_takes_the_default_language_as_one_text(alice, sent, descriptions):
    """`description`, or a plain text in `descriptions`, is the entry of the default language."""
    payload = {name: value for name, value in currency().items() if name != "descriptions"} | sent

    response = alice.send("POST", alice.currency(), payload)

    assert response.status_code == 201, response.content
    element = read(response)
    assert element["descriptions"] == descriptions
    assert element["description"] == descriptions.get("en")


@pytest.mark.contract("C4", "C15")
def test_a_null_description_changes_nothing_where_there_is_none(alice):
    """The response already has `description: null` for such an element."""
    alice.send("POST", alice.currency(), currency(descriptions={"it": "Euro"}))
    before = alice.get(alice.currency("elements/EUR"))

    after = alice.send("PATCH", alice.currency("elements/EUR"), {"description": None})

    assert (after.status_code, after["ETag"]) == (200, before["ETag"])


@pytest.mark.contract("C4")
@pytest.mark.parametrize("descriptions", [{"en": "Euro"}, "Euro", {"en": None, "it": "Euro"}])
@pytest.mark.parametrize("description", ["The euro", "euro", "Euro "])
def test_two_texts_for_the_default_language_are_refused(alice, descriptions, description):
    """The message names the language."""
    response = alice.send("POST", alice.currency(), currency(descriptions=descriptions, description=description))

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert (error["path"], error["code"]) == ("description", "CONFLICTING_SPELLINGS")
    assert "descriptions.en" in error["message"]


@pytest.mark.contract("C4")
@pytest.mark.parametrize("description", [5, {}, ["Euro"], True, "x" * 1001])
def test_an_invalid_text_in_description_is_refused_there(alice, description):
    """The error is where the client wrote it, and only there."""
    payload = {name: value for name, value in currency().items() if name != "descriptions"}

    response = alice.send("POST", alice.currency(), {**payload, "description": description})

    assert response.status_code == 400
    assert [error["path"] for error in response.json()["errors"]] == ["description"]


@pytest.mark.contract("C4", "C15")
@pytest.mark.parametrize("patch", [{"description": "The euro"}, {"descriptions": "The euro"}])
def test_a_patch_of_the_default_language_leaves_the_others(alice, patch):
    """Only its own entry changes."""
    alice.send("POST", alice.currency(), currency())

    element = read(alice.send("PATCH", alice.currency("elements/EUR"), patch))

    assert element["descriptions"] == {"en": "The euro", "de": "Euro"}


@pytest.mark.contract("C3", "C4")
def test_an_account_takes_no_plain_text(alice):
    """The plain forms are the currency's alone."""
    response = alice.send("POST", alice.account(), account(descriptions="Cash", description="Cash"))

    assert {error["path"] for error in response.json()["errors"]} == {"descriptions", "description"}
