"""Saving many elements in one call: what is answered, counted and stored, and what a dry run does."""

import json

import pytest

from account.models import Account, AccountVersion, CalculationLogic
from currency.models import Currency, CurrencyVersion
from tests.bulkops.save.bulk import DIMENSIONS, element, elements, ids, patch, places, refused, save, send, without
from tests.factories import MAKERS, account, content, read

# --- Responses ---------------------------------------------------------------------------------


@pytest.mark.contract("E3")
def test_an_answer_of_many_accounts_is_complete(alice):
    """More than are read together, in the order in which they were sent."""
    names = [f"{number * 7919 % 2_500:04}" for number in range(2_500)]

    response = send(alice, "account", {"post": [account(name) for name in names]})

    assert response["Content-Type"] == "application/json"
    body = content(response)
    assert int(response["Content-Length"]) == len(body)
    assert ids(json.loads(body)) == names


@pytest.mark.contract("E1")
@pytest.mark.parametrize("body", [{"post": []}, {"put": []}, {"patch": []}, {"post": [], "put": [], "patch": []}])
def test_a_body_without_elements_saves_nothing(alice, body):
    """It is as valid as any other."""
    assert save(alice, "account", **body) == []
    assert save(alice, "currency", **body) == {"code": "SUCCESS"}
    assert elements(alice, "account") == elements(alice, "currency") == []


# --- Stored state ------------------------------------------------------------------------------


@pytest.mark.contract("C18", "C19", "E1")
def test_the_order_of_a_map_is_not_a_change(alice):
    """Nor are numbers written in another way as the same text; an empty text differs from null, and counts as text."""
    save(alice, "account", post=[account(customAttributes={"a": "1", "b": None}, documentationLink=None)])

    save(alice, "account", put=[account(customAttributes={"b": None, "a": "1"})])
    assert AccountVersion.objects.count() == 1

    save(alice, "account", put=[account(customAttributes={"b": "", "a": "1"}, documentationLink="")])
    assert AccountVersion.objects.count() == 2
    changed = element(alice, "account", "1000")
    assert (changed["customAttributes"], changed["documentationLink"]) == ({"a": "1", "b": ""}, "")


@pytest.mark.contract("C1", "C19", "E1")
def test_ids_and_texts_of_any_script_are_saved_as_they_are(alice):
    """Slashes, quotes, percent signs, tabs in texts, separators of the database's own copy format."""
    names = ["a/b", "1 0%", "q\"u'o`te", "Ä;+", "现金", "back\\slash", "\\N", "\\.", "{}", "e\u0301", "😀"]
    texts = ["tab\there", "new\nline\r", "\\N", "\\.", "'; DROP", "\u2028", "\\\\t", " blank ", "\x1f", "{,}", "😀"]
    sent = [
        account(name, descriptions={"en": f"-{text}"}, customAttributes={name: text}, documentationLink=text)
        for name, text in zip(names, texts, strict=True)
    ]

    answer = save(alice, "account", post=sent)

    for stored, posted in zip(answer, sent, strict=True):
        assert {name: stored[name] for name in posted if name != "conversion"} == {
            name: value for name, value in posted.items() if name != "conversion"
        }
    assert sorted(ids(elements(alice, "account"))) == sorted(names)
    again = save(alice, "account", put=sent, patch=[])
    assert again == answer


COUNTS = ("X-Created", "X-Changed", "X-Unchanged")
SUCCESS = {"code": "SUCCESS"}


def counts(response):
    content(response)  # read to its end, so that its file is closed
    return tuple(response[name] for name in COUNTS)


@pytest.fixture(params=DIMENSIONS)
def body(request, alice):
    """A dimension, and a body that creates two elements, changes one and leaves one as it is."""
    make = MAKERS[request.param]
    save(alice, request.param, post=[make("1"), make("2")])
    changed = {"key": {"id": "2"}, "data": {"descriptions": {"en": "Another text"}}}
    patch = [{"key": {"id": "1"}, "data": {}}, changed]
    return request.param, {"post": [make("3")], "put": [make("4")], "patch": patch}


@pytest.mark.contract("K2")
@pytest.mark.parametrize("query", ["", "?dryRun=true"])
def test_the_headers_count_what_the_elements_do(alice, body, query):
    """A dry run counts what it would do."""
    dimension, changes = body
    response = send(alice, dimension, changes, query)

    assert (response.status_code, counts(response)) == (200, ("2", "1", "1"))
    assert len(elements(alice, dimension)) == (2 if query else 4)


@pytest.mark.contract("E2", "K2")
def test_what_saves_nothing_counts_nothing(alice, body):
    """An error has no counts: they would look as if something had been saved."""
    dimension, _ = body
    response = send(alice, dimension, {"post": [MAKERS[dimension]("1")]})

    assert response.status_code == 400
    assert not [name for name in COUNTS if name in response]


@pytest.mark.contract("E3", "K2")
@pytest.mark.parametrize(
    ("query", "prefer", "applied"),
    [
        ("", "return=minimal", "return=minimal"),
        ("", 'respond-async, Return="minimal"; x=1', "return=minimal"),
        ("?dryRun=true", "return=minimal", "dryRun, return=minimal"),
    ],
)
def test_a_client_that_needs_no_elements_gets_none(alice, body, query, prefer, applied):
    """The answer of 100,000 saved accounts would be as large as the request."""
    dimension, changes = body
    response = send(alice, dimension, changes, query, prefer=prefer)

    assert (response.status_code, read(response)) == (200, SUCCESS)
    assert (response["Preference-Applied"], counts(response)) == (applied, ("2", "1", "1"))


@pytest.mark.contract("E3", "K2")
@pytest.mark.parametrize("prefer", ["return=representation", "return=minimalist", ""])
def test_other_preferences_are_ignored(alice, body, prefer):
    """RFC 7240 lets a service ignore what it does not know."""
    dimension, changes = body
    response = send(alice, dimension, changes, prefer=prefer)

    assert "Preference-Applied" not in response
    saved = read(response)
    if dimension == "currency":
        assert saved == SUCCESS
    else:
        assert ids(saved) == ["3", "4", "1", "2"]


def stored():
    """How many rows of each kind there are."""
    kinds = (Account, AccountVersion, CalculationLogic, Currency, CurrencyVersion)
    return [kind.objects.count() for kind in kinds]


@pytest.mark.contract("E4")
def test_accounts_are_answered_as_if_they_were_saved(alice):
    """The same response as without it, except for the instant; nothing of it is stored."""
    save(alice, "account", post=[account("1"), account("2")])
    before, rows = elements(alice, "account"), stored()
    body = {
        "post": [account("9", rules={"grossAmountEqualICSum": True}), account("3")],
        "put": [account("1", type="DETAIL")],
        "patch": [patch("2", documentationLink="x")],
    }

    tried = send(alice, "account", body, "?dryRun=true")

    assert tried.status_code == 200
    assert tried["Preference-Applied"] == "dryRun"
    answer = read(tried)
    assert [element["id"] for element in answer] == ["9", "3", "1", "2"]
    assert (elements(alice, "account"), stored()) == (before, rows)

    saved = send(alice, "account", body)
    assert "Preference-Applied" not in saved
    assert [without(element) for element in answer] == [without(element) for element in read(saved)]
    assert len(elements(alice, "account")) == 4


@pytest.mark.contract("E4", "B1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_errors_are_reported_as_without_it(alice, dimension):
    """Those that are found only during writing, too; an error has no Preference-Applied."""
    make = MAKERS[dimension]
    save(alice, dimension, post=[make("taken")])
    body = {"post": [make("taken"), make("new", descriptions={})], "patch": [patch("gone")]}

    tried = send(alice, dimension, body, "?dryRun=true")

    assert "Preference-Applied" not in tried
    report = refused(tried)
    assert places(report) == [
        ("/post/0/id", "ALREADY_EXISTS"),
        ("/post/1/descriptions", "BLANK"),
        ("/patch/0/key/id", "ELEMENT_NOT_FOUND"),
    ]
    assert report["errors"] == refused(send(alice, dimension, body))["errors"]


@pytest.mark.contract("E4", "A7")
@pytest.mark.parametrize("value", ["True", "1", "yes", "", "false%20"])
def test_any_other_value_is_refused(alice, value):
    """It never counts as false: nothing is saved."""
    (error,) = refused(send(alice, "account", {"post": [account()]}, f"?dryRun={value}"))["errors"]

    assert (error["path"], error["code"]) == ("dryRun", "INVALID")
    assert "must be false or true" in error["message"]
    assert elements(alice, "account") == []
