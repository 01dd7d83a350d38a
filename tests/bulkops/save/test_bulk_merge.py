"""Merging elements in one call: each is created if its id is new, else changed as by `patch`."""

from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bulkops.session.entries import STORED_BATCH, EntryReader
from tests import strategies
from tests.account.samples import FULL, MINIMAL
from tests.bulkops.save.bulk import DIMENSIONS, element, elements, ids, patch, places, refused, save, send, without
from tests.dimensions import MODELS, WIRES
from tests.factories import MAKERS, account, content, currency, read

pytestmark = pytest.mark.contract("K1")

COUNTS = ("X-Created", "X-Changed", "X-Unchanged")
# Of the new elements of the property test.
_numbers = count(1_000)


def merged(person, dimension, *elements: dict[str, Any], **members: Any) -> tuple[int, int, int]:
    """How many elements a merge has created, changed and left as they were."""
    response = send(person, dimension, {"merge": elements, **members})
    assert response.status_code == 200, content(response)[:2_000]
    _, (created, changed, unchanged) = outcome(response)
    return int(created), int(changed), int(unchanged)


def outcome(response: Any) -> tuple[int, list[str]]:
    """The status and the counts of a response."""
    content(response)  # read to its end, so that its file is closed
    return response.status_code, [response.headers.get(name, "") for name in COUNTS]


def errors(person, dimension, *elements: Any, **members: Any) -> list[tuple[str, str]]:
    return places(refused(send(person, dimension, {"merge": elements, **members})))


# --- New and existing elements -----------------------------------------------------------------


@pytest.mark.contract("C15", "E3")
def test_what_is_new_is_created_and_what_exists_keeps_what_is_left_out(alice):
    """One array for both, with all that an element has."""
    save(alice, "account", post=[FULL])

    answer = save(alice, "account", merge=[{"id": FULL["id"], "documentationLink": "new"}, account("2000")])

    assert [without(each) for each in answer] == [FULL | {"documentationLink": "new"}, MINIMAL | {"id": "2000"}]
    assert answer == elements(alice, "account")


@pytest.mark.contract("C15")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_complete_elements_keep_further_entries_of_maps(alice, dimension):
    """They need not be compared with what is stored one by one, and are merged all the same."""
    make = MAKERS[dimension]
    save(alice, dimension, post=[make(f"{number:04}") for number in range(STORED_BATCH + 2)])
    sent = [
        each | {"descriptions": {"it": "Testo", "en": each["descriptions"]["en"]}}
        for each in elements(alice, dimension)
    ]
    sent[0]["descriptions"]["de"] = "Alles"

    assert merged(alice, dimension, *sent) == (0, len(sent), 0)

    first, *others = elements(alice, dimension)
    assert first["descriptions"].keys() == {"en", "de", "it"}
    assert first["descriptions"]["de"] == "Alles"
    assert [each["descriptions"] for each in others] == [make()["descriptions"] | {"it": "Testo"}] * len(others)


@pytest.mark.contract("E1", "E3", "K2")
def test_the_order_is_post_put_merge_patch(alice):
    """Whatever the order of the members; all four count together."""
    save(alice, "account", post=[account("1"), account("2")])
    body = {
        "patch": [patch("1", type="DETAIL")],
        "merge": [account("5"), {"id": "2"}],
        "put": [account("4")],
        "post": [account("3")],
    }

    response = send(alice, "account", body)

    assert ids(read(response)) == ["3", "4", "5", "2", "1"]
    assert [response[name] for name in COUNTS] == ["3", "1", "1"]


@pytest.mark.contract("C2")
def test_the_oid_of_a_merged_currency_stays(alice):
    """It is taken when the currency is created, and may then be left out or repeated, but not changed."""
    merged(alice, "currency", currency("A", oid="a"), currency("B"))
    before = {each["id"]: each["oid"] for each in elements(alice, "currency")}
    assert before["A"] == "a"

    merged(alice, "currency", currency("A", decimalNumbers=3), currency("B", oid=before["B"], decimalNumbers=3))

    assert {each["id"]: each["oid"] for each in elements(alice, "currency")} == before


@pytest.mark.contract("C4", "C15")
def test_a_description_is_merged_in_each_spelling(alice):
    """A plain text is that in the default language; it may not contradict the map beside it."""
    save(alice, "currency", post=[currency(descriptions={"en": "Euro", "de": "Euro (D)"})])

    assert merged(alice, "currency", {"id": "EUR", "description": "The euro"}) == (0, 1, 0)
    assert merged(alice, "currency", {"id": "EUR", "descriptions": "The euro"}) == (0, 0, 1)
    assert element(alice, "currency", "EUR")["descriptions"] == {"en": "The euro", "de": "Euro (D)"}
    both = {"id": "EUR", "description": "One", "descriptions": {"en": "Another"}}
    assert len(errors(alice, "currency", both)) == 1


# --- Errors ------------------------------------------------------------------------------------


@pytest.mark.contract("B1", "C15", "E2")
def test_what_is_missing_is_an_error_of_a_new_element_only(alice):
    """What is stored has it; null is no value for what is required, of either."""
    save(alice, "account", post=[account("old")])

    found = errors(alice, "account", {"id": "new"}, {"id": "old"})

    missing = {path for path, code in found if path.startswith("/merge/0/") and code == "REQUIRED"}
    assert {"/merge/0/nature", "/merge/0/type", "/merge/0/conversion/conversionType"} <= missing
    assert not [path for path, _ in found if path.startswith("/merge/1")]
    assert errors(alice, "account", {"id": "old", "nature": None}) == [("/merge/0/nature", "NULL")]
    assert ids(elements(alice, "account")) == ["old"]


@pytest.mark.contract("B1", "E1", "E2")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_every_error_of_a_merge_is_reported(alice, dimension):
    """For new elements, stored ones and those without a usable id; nothing is saved."""
    make = MAKERS[dimension]
    save(alice, dimension, post=[make("old")])
    sent = [
        make("fine"),
        {"id": "old", "colour": "green"},
        make("new", colour="green"),
        {**make(), "id": 7},
        {name: value for name, value in make().items() if name != "id"},
        [],
        make("fine"),
        {"id": "old"},
    ]

    assert errors(alice, dimension, *sent) == [
        ("/merge/1/colour", "UNKNOWN_MEMBER"),
        ("/merge/2/colour", "UNKNOWN_MEMBER"),
        ("/merge/3/id", "INVALID"),
        ("/merge/4/id", "REQUIRED"),
        ("/merge/5", "INVALID"),
        ("/merge/6/id", "REPEATED"),
        ("/merge/7/id", "REPEATED"),
    ]
    assert ids(elements(alice, dimension)) == ["old"]


@pytest.mark.contract("B3")
@pytest.mark.parametrize("id", ["old", "new"])
def test_a_repeated_key_is_an_error_of_a_merge(alice, id):
    """Of the id, too, although the element is looked up by it."""
    save(alice, "currency", post=[currency("old")])
    text = b'{"merge":[{"id":"%b","decimalNumbers":1,"decimalNumbers":2},{"id":"x","id":"%b"}]}'

    report = refused(send(alice, "currency", text % (id.encode(), id.encode())))

    assert [path for path, code in places(report) if code == "DUPLICATE_KEY"] == [
        "/merge/0/decimalNumbers",
        "/merge/1/id",
    ]


@pytest.mark.contract("E2")
def test_a_strict_merge_checks_the_whole_result(alice):
    """What a new element refers to, and what a stored one refers to already; elements of the body are there."""
    lost = {"conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": "gone"}}
    save(alice, "account", post=[account("dangling", **lost), account("fine")])
    place = "conversion/referenceAccountForInitialBalance"

    found = errors(alice, "account", {"id": "dangling"}, account("new", **lost), {"id": "fine"}, saveMode="STRICT")

    assert found == [(f"/merge/0/{place}", "UNKNOWN_REFERENCE"), (f"/merge/1/{place}", "UNKNOWN_REFERENCE")]
    sent = [{"id": "dangling"}, account("gone")]
    assert merged(alice, "account", *sent, saveMode="STRICT") == (1, 0, 1)


# --- Others create the same --------------------------------------------------------------------


@pytest.fixture
def created_meanwhile(monkeypatch, alice):
    """Creates an element after those of a merge have been looked up, as another client may."""

    def arrange(dimension: str, element: dict[str, Any]) -> None:
        plain = EntryReader.dependent

        def dependent(self: EntryReader, operation: Any) -> Any:
            yield from plain(self, operation)
            if operation.name != "merge":
                return
            monkeypatch.setattr(EntryReader, "dependent", plain)
            response = alice.send("POST", alice.elements(dimension), element)
            assert response.status_code == 201, response.content

        monkeypatch.setattr(EntryReader, "dependent", dependent)

    return arrange


@pytest.mark.contract("C2", "C13", "C15")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_an_element_that_another_client_creates_meanwhile_is_changed(alice, created_meanwhile, dimension):
    """What that client set and the merge leaves out stays, and so does its oid."""
    make = MAKERS[dimension]
    save(alice, dimension, post=[make("old")])
    theirs = make("new", descriptions={"en": "Theirs", "it": "Loro"})
    created_meanwhile(dimension, theirs)

    assert merged(alice, dimension, {"id": "old"}, make("new", descriptions={"en": "Mine"}), make("z")) == (1, 1, 1)

    assert element(alice, dimension, "new")["descriptions"] == {"en": "Mine", "it": "Loro"}
    versions = MODELS[dimension].version_model.objects.filter(element_id="new").order_by("number")
    assert [version.change for version in versions] == ["+", "~"]


@pytest.mark.contract("E2")
def test_a_strict_merge_checks_what_another_client_has_created_meanwhile(alice, created_meanwhile):
    """Its reference is part of the result."""
    lost = {"conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": "gone"}}
    created_meanwhile("account", account("new", **lost))

    found = errors(alice, "account", account("new"), saveMode="STRICT")

    assert found == [("/merge/0/conversion/referenceAccountForInitialBalance", "UNKNOWN_REFERENCE")]


# --- A merge is a put or a patch ---------------------------------------------------------------


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dimension=st.sampled_from(sorted(DIMENSIONS)), data=st.data())
def test_a_merge_is_a_put_of_what_is_new_and_else_a_patch(alice, dimension, data):
    """Of any stored element and any changes, complete or few: the same element is stored, the same is counted."""
    wire = WIRES[dimension]
    whole = strategies.elements(wire).map(lambda element: without(element, "id", "oid"))
    stored = data.draw(whole, "stored")
    changes = data.draw(st.lists(whole | strategies.patches(wire), min_size=1, max_size=3), "changes")
    others = data.draw(st.lists(whole, max_size=3), "other elements, with all their members")
    new = data.draw(whole, "new")
    save(alice, dimension, put=[each | {"id": f"other{n}"} for n, each in enumerate(others)])
    sent = [*changes, *(without(element(alice, dimension, f"other{n}"), "id", "oid") for n in range(len(others)))]
    save(alice, dimension, put=[stored | {"id": f"{kind}{n}"} for kind in "ab" for n in range(len(sent))])
    run = next(_numbers)

    puts = {"put": [new | {"id": f"a{run}"}], "patch": [patch(f"a{n}", **each) for n, each in enumerate(sent)]}
    merges = {"merge": [new | {"id": f"b{run}"}, *(each | {"id": f"b{n}"} for n, each in enumerate(sent))]}
    results = [outcome(send(alice, dimension, body)) for body in (puts, merges)]

    assert results[0] == results[1]
    for id in (run, *range(len(sent))):
        answers = [alice.get(alice.elements(dimension, f"elements/{kind}{id}")) for kind in "ab"]
        found = [without(read(a), "id", "oid") if a.status_code == 200 else a.status_code for a in answers]
        assert found[0] == found[1]
