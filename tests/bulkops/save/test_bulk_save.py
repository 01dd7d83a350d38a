"""Saving many elements in one call."""

import json

import pytest

from account.models import AccountVersion
from tests.account.samples import FULL, MINIMAL
from tests.bulkops.save.bulk import element, elements, ids, patch, save, send, without
from tests.factories import MAKERS, account, content, currency, read


def of(dimension, id, text="Text"):
    """A valid element of either dimension."""
    return MAKERS[dimension](id, descriptions={"en": text})


# --- Responses ---------------------------------------------------------------------------------


@pytest.mark.contract("E1", "E3")
def test_accounts_are_answered_in_the_order_post_put_patch(alice):
    """Whatever order the members of the body and the ids have; each as it is read alone."""
    save(alice, "account", post=[account("5"), account("3"), account("4")])

    answer = save(
        alice,
        "account",
        patch=[patch("4", type="DETAIL"), patch("3", documentationLink="x")],
        put=[account("5", nature="OTHER_STOCKS"), account("2")],
        post=[account("9"), account("1", rules={"grossAmountEqualICSum": True})],
    )

    assert ids(answer) == ["9", "1", "5", "2", "4", "3"]
    assert answer == [element(alice, "account", id) for id in ids(answer)]
    assert ids(elements(alice, "account")) == ["1", "2", "3", "4", "5", "9"]


@pytest.mark.contract("E3")
def test_an_answer_of_many_accounts_is_complete(alice):
    """More than are read together, in the order in which they were sent."""
    names = [f"{number * 7919 % 2_500:04}" for number in range(2_500)]

    response = send(alice, "account", {"post": [account(name) for name in names]})

    assert response["Content-Type"] == "application/json"
    body = content(response)
    assert int(response["Content-Length"]) == len(body)
    assert ids(json.loads(body)) == names


@pytest.mark.contract("E3")
def test_currencies_are_answered_by_a_word(alice):
    """The specification's SUCCESS, and nothing else."""
    save(alice, "currency", post=[currency("USD")])

    body = {"post": [currency("EUR")], "put": [currency("JPY")], "patch": [patch("USD", decimalNumbers=3)]}
    response = send(alice, "currency", body)

    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert read(response) == {"code": "SUCCESS"}
    assert [(each["id"], each["decimalNumbers"]) for each in elements(alice, "currency")] == [
        ("EUR", 2),
        ("JPY", 2),
        ("USD", 3),
    ]


@pytest.mark.contract("E1")
@pytest.mark.parametrize("body", [{"post": []}, {"put": []}, {"patch": []}, {"post": [], "put": [], "patch": []}])
def test_a_body_without_elements_saves_nothing(alice, body):
    """It is as valid as any other."""
    assert save(alice, "account", **body) == []
    assert save(alice, "currency", **body) == {"code": "SUCCESS"}
    assert elements(alice, "account") == elements(alice, "currency") == []


# --- Stored state ------------------------------------------------------------------------------


@pytest.mark.contract("C8", "E1")
@pytest.mark.parametrize("operation", ["post", "put"])
def test_what_is_left_out_gets_its_default(alice, operation):
    """As for a single account; and every leaf that is set is stored."""
    answer = save(alice, "account", **{operation: [account("1000"), {**FULL, "id": "2000"}]})

    assert [without(each) for each in answer] == [MINIMAL, {**FULL, "id": "2000"}]
    assert {each["updateInfo"]["user"] for each in answer} == {"alice"}
    assert {each["updateInfo"]["origin"] for each in answer} == {"INPUT_WEB"}
    assert len({each["updateInfo"]["date"] for each in answer}) == 1


@pytest.mark.contract("C18", "E1")
def test_what_stays_as_it_is_is_not_written(alice):
    """Only the changed elements of a body get a version and a new `updateInfo`, the equal ones do not."""
    save(alice, "account", post=[{**FULL, "id": id} for id in ("1", "2", "3", "4")])
    before = elements(alice, "account")

    answer = save(
        alice,
        "account",
        put=[before[0], {**FULL, "id": "2", "type": "NORMAL"}],
        patch=[patch("3", descriptions={"en": "Cash"}, rules={}), patch("4", descriptions={"en": "Bank"})],
    )

    assert [answer[0], answer[2]] == [before[0], before[2]]
    versions = AccountVersion.objects.order_by("number").values_list("element_id", "change")
    assert sorted(versions) == [("1", "+"), ("2", "+"), ("2", "~"), ("3", "+"), ("4", "+"), ("4", "~")]


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
