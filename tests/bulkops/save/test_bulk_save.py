"""Saving many elements in one call."""

import copy
import json
from typing import Any

import pytest

from account.models import AccountVersion
from tests.account.samples import FULL, MINIMAL
from tests.bulkops.save.bulk import DIMENSIONS, element, elements, ids, patch, save, send, without
from tests.currency import samples as currencies
from tests.dimensions import MODELS
from tests.factories import FULLS, MAKERS, account, content, currency, read
from tests.strategies import SPELLINGS, get, put, remove


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


@pytest.mark.contract("E1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("operation", ["post", "put"])
def test_each_operation_can_stand_alone(alice, dimension, operation):
    """Both dimensions take each of them."""
    save(alice, dimension, **{operation: [of(dimension, "A"), of(dimension, "B")]})
    save(alice, dimension, patch=[patch("A", descriptions={"en": "Changed"})])

    assert [each["descriptions"] for each in elements(alice, dimension)] == [{"en": "Changed"}, {"en": "Text"}]


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


@pytest.mark.contract("C14", "E1")
def test_put_inserts_what_is_not_there_and_replaces_what_is(alice):
    """Omitted optional fields are reset."""
    save(alice, "account", post=[FULL])

    answer = save(alice, "account", put=[account("0500"), account("1000")])

    assert [without(each) for each in answer] == [MINIMAL | {"id": "0500"}, MINIMAL]


@pytest.mark.contract("C5", "C12", "E1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_what_a_list_answers_can_be_put(alice, dimension):
    """`updateInfo` is accepted and ignored, a forged one too; nothing was changed, so nothing is written."""
    save(alice, dimension, post=[FULLS[dimension], of(dimension, "A")])
    before = elements(alice, dimension)
    forged = {"user": "eve", "date": "2001-01-01T00:00:00.000+0000", "origin": "IMPORT"}

    save(alice, dimension, put=[before[0], before[1] | {"updateInfo": forged}])

    assert elements(alice, dimension) == before
    assert MODELS[dimension].version_model.objects.count() == 2


PATCHES: list[dict[str, Any]] = [
    {},
    {"nature": "OTHER_STOCKS"},
    {"descriptions": {"it": None, "de": "Kasse"}, "customAttributes": {"Region": "EMEA"}},
    {"documentationLink": None, "dataEntryAndReporting": {"class": None}},
    {"rules": {"validationChecks": {"notesCheck": "DO_NOT_CHECK"}, "accrual": {"debitAccrual": {"id": "9"}}}},
    {"consolidation": {"bankingData": {"icIitemOld": {"changeSign": None}}}},
    {"cashFlowPlanning": {"other": {"credit": {"description": "Other"}}}},
    {"cashFlowPlanning": None, "alternativeDescriptions": None, "rules": None, "consolidation": {"rules": None}},
    {"restrictions": {"ctpRestriction": None, "customDimension3": None}},
    {"conversion-conversionType": "AVERAGE", "rules": {"consolidaton": {"useAccountForSetup": "NO"}}},
    {"dataEntryAndReporting": {"validity": {"startDate": "2020-01-01T00:00:00+01:00", "endDate": None}}},
    {"updateInfo": {"user": "eve"}},
    FULL,
]


@pytest.mark.contract("C15", "E1")
@pytest.mark.parametrize("existing", [FULL, account()], ids=["of everything", "of little"])
def test_patches_merge_as_single_ones_do(alice, existing):
    """Objects and maps key by key; a null entry or leaf is stored as null, a null group clears the group."""
    for number in range(len(PATCHES)):
        for id in (f"bulk-{number:02}", f"single-{number:02}"):
            assert alice.send("POST", alice.account(), existing | {"id": id}).status_code == 201
    changes = [{name: value for name, value in each.items() if name != "id"} for each in PATCHES]

    answer = save(alice, "account", patch=[patch(f"bulk-{n:02}", **data) for n, data in enumerate(changes)])

    for number, data in enumerate(changes):
        single = read(alice.send("PATCH", alice.account(f"elements/single-{number:02}"), data))
        assert without(answer[number], "id") == without(single, "id"), data
    stored = [without(each, "id") for each in elements(alice, "account")]
    assert stored[: len(changes)] == stored[len(changes) :] == [without(each, "id") for each in answer]


@pytest.mark.contract("C15", "C4")
@pytest.mark.parametrize(
    "data",
    [
        {},
        {"description": "Euro!"},
        {"description": None},
        {"descriptions": "Euro!"},
        {"descriptions": {"it": None, "es": "Euro"}, "description": "Euro"},
        {"referenceCurrency": None, "preferred": None, "xbrlContent": ""},
        {"referenceCurrency": {"coefficient": True}, "percentageDifference": 12.5},
        {"oid": "0000-EUR", "id": "EUR", "decimalNumbers": 0},
    ],
)
def test_patches_of_currencies_merge_as_single_ones_do(alice, data):
    """In each spelling of the description."""
    save(alice, "currency", post=[currencies.FULL])
    save(alice, "currency", patch=[patch("EUR", **data)])
    in_bulk = element(alice, "currency", "EUR")
    alice.send("PUT", alice.currency("elements/EUR"), currencies.FULL)

    assert alice.send("PATCH", alice.currency("elements/EUR"), data).status_code == 200

    assert without(in_bulk) == without(element(alice, "currency", "EUR"))


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


@pytest.mark.contract("C6", "E1")
@pytest.mark.parametrize("operation", ["post", "put", "patch"])
@pytest.mark.parametrize(("listed", "example"), SPELLINGS, ids=[listed for listed, _ in SPELLINGS])
def test_every_alternative_spelling_is_accepted(alice, operation, listed, example):
    """Beside elements in the spelling of responses, and returned in that."""
    respelled = copy.deepcopy({**FULL, "id": "A"})
    remove(respelled, example)
    put(respelled, listed, get(FULL, example))
    if operation == "patch":
        save(alice, "account", post=[account("A"), account("B")])
        body = {"patch": [patch("A", **respelled), patch("B", **{**FULL, "id": "B"})]}
    else:
        body = {operation: [respelled, {**FULL, "id": "B"}]}

    one, other = save(alice, "account", **body)

    assert without(one, "id") == without(other, "id")
    assert get(one, example) == get(FULL, example)


@pytest.mark.contract("C3", "C4", "E1")
@pytest.mark.parametrize("operation", ["post", "put"])
@pytest.mark.parametrize(
    ("texts", "descriptions", "description"),
    [
        ({"descriptions": "Euro"}, {"en": "Euro"}, "Euro"),
        ({"description": "Euro"}, {"en": "Euro"}, "Euro"),
        ({"description": "Euro", "descriptions": {"de": "Euro (D)"}}, {"de": "Euro (D)", "en": "Euro"}, "Euro"),
        ({"description": "Euro", "descriptions": "Euro"}, {"en": "Euro"}, "Euro"),
        ({"description": None, "descriptions": {"de": "Euro", "it": None}}, {"de": "Euro", "it": None}, None),
    ],
)
def test_a_description_may_be_sent_in_each_way(alice, operation, texts, descriptions, description):
    """A plain text means the default language of the repository."""
    sent = {name: value for name, value in currency().items() if name != "descriptions"}

    save(alice, "currency", **{operation: [sent | texts]})

    stored = element(alice, "currency", "EUR")
    assert (stored["descriptions"], stored["description"]) == (descriptions, description)


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


@pytest.mark.contract("E2")
@pytest.mark.parametrize("mode", [{}, {"saveMode": "LOOSE"}])
def test_without_a_mode_or_loose_references_are_not_checked(alice, mode):
    """LOOSE is the default."""
    (stored,) = save(alice, "account", **mode, post=[FULL])
    save(alice, "currency", **mode, post=[currencies.FULL])

    assert without(stored) == FULL
    assert without(element(alice, "currency", "EUR")) == currencies.FULL
