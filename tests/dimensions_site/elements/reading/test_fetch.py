"""Fetching selected properties."""

from urllib.parse import urlencode

import pytest

from tests.account.samples import FULL
from tests.factories import account, currency, read


@pytest.fixture
def fetched(alice):
    """Fetches properties of the full account."""
    alice.send("POST", alice.account(), FULL)

    def fetch(properties):
        [element] = read(alice.get(alice.account(f"elements-fetch?{urlencode({'properties': properties})}")))
        return element

    return fetch


@pytest.mark.contract("D8", "H1")
@pytest.mark.parametrize(
    ("properties", "element"),
    [
        ("id", {"id": "1000"}),
        (" id , type ", {"id": "1000", "type": "DETAIL"}),
        ("id,id", {"id": "1000"}),
        ("conversion.conversionType", {"conversion": {"conversionType": "INITIAL_BALANCE"}}),
        ("conversion", {"conversion": FULL["conversion"]}),
        (
            "rules.accrual,rules.grossAmountEqualICSum",
            {"rules": {"accrual": FULL["rules"]["accrual"], "grossAmountEqualICSum": True}},
        ),
        ("rules.accrual.debitAccrual.id,rules", {"rules": FULL["rules"]}),
        ("rules,rules.accrual.debitAccrual.id", {"rules": FULL["rules"]}),
        (
            "cashFlowPlanning.variation.debit.id,cashFlowPlanning.liquidity",
            {
                "cashFlowPlanning": {
                    "variation": {"debit": {"id": "4001"}},
                    "liquidity": FULL["cashFlowPlanning"]["liquidity"],
                }
            },
        ),
        ("customAttributes", {"customAttributes": FULL["customAttributes"]}),
        ("customAttributes.Region,customAttributes.Nowhere", {"customAttributes": {"Region": None, "Nowhere": None}}),
        ("alternativeDescriptions.en", {"alternativeDescriptions": {"en": "Petty cash"}}),
        ("descriptions", {"descriptions": "Cash"}),
        ("description", {"description": "Cash"}),
        ("descriptions.it,descriptions.de", {"descriptions": {"it": "Cassa", "de": None}}),
        ("descriptions.*", {"descriptions": FULL["descriptions"]}),
        ("description,descriptions.*", {"description": "Cash", "descriptions": FULL["descriptions"]}),
        ("updateInfo.user", {"updateInfo": {"user": "alice"}}),
    ],
)
def test_a_fetch_answers_the_selected_properties_only(fetched, properties, element):
    """In their nesting; a group stands for all its members."""
    assert fetched(properties) == element


@pytest.mark.contract("D8", "C9", "C19")
@pytest.mark.parametrize(
    "properties", [" id , customAttributes.owner ", " customAttributes.owner , id", "customAttributes.* "]
)
def test_blanks_at_the_end_of_an_attribute_belong_to_its_name(alice, properties):
    """Blanks around other names do not count."""
    alice.send("POST", alice.account(), account("1", customAttributes={"owner ": "ERP"}))
    [element] = read(alice.get(alice.account(f"elements-fetch?{urlencode({'properties': properties})}")))
    assert element["customAttributes"] == {"owner ": "ERP"}


@pytest.mark.contract("D8", "C8")
def test_what_is_selected_of_a_null_group_is_the_null_group(alice):
    """As it is in the whole element."""
    alice.send("POST", alice.account(), account())

    query = (
        "properties=cashFlowPlanning.variation.debit.id,restrictions.ctpRestriction.id,rules.accrual.debitAccrual.id"
    )

    assert read(alice.get(alice.account(f"elements-fetch?{query}"))) == [
        {
            "cashFlowPlanning": None,
            "restrictions": {"ctpRestriction": None},
            "rules": {"accrual": {"debitAccrual": None}},
        }
    ]


@pytest.mark.contract("D8")
def test_a_currency_answers_its_default_description(alice, bob):
    """`description`, and `descriptions` as the specification's example shows: in the language of the repository."""
    for person, db_id, text in ((alice, "northwind", "The euro"), (bob, "contoso", "Der Euro")):
        payload = currency(descriptions={"en": "The euro", "de": "Der Euro"})
        person.send("POST", person.currency(db_id=db_id), payload)
        query = "properties=id,description,descriptions"
        assert read(person.get(person.currency(f"elements-fetch?{query}", db_id=db_id))) == [
            {"id": "EUR", "description": text, "descriptions": text}
        ]


@pytest.mark.contract("D8")
def test_a_fetch_filters_sorts_and_pages_like_a_list(alice):
    """The same parameters, the same meaning; what is filtered need not be selected."""
    for id in ("a", "b", "c", "d"):
        alice.send("POST", alice.account(), account(id, type="NORMAL" if id == "a" else "DETAIL"))

    query = "properties=id&filter=type==DETAIL&sort=-id&skip=1&take=1"

    assert read(alice.get(alice.account(f"elements-fetch?{query}"))) == [{"id": "c"}]


@pytest.mark.contract("D8", "B1")
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "REQUIRED"),
        ("properties=", "REQUIRED"),
        ("properties=,", "UNKNOWN_FIELD"),
        ("properties=id,", "UNKNOWN_FIELD"),
        ("properties=colour", "UNKNOWN_FIELD"),
        ("properties=rules.colour", "UNKNOWN_FIELD"),
        ("properties=id.x", "UNKNOWN_FIELD"),
        ("properties=rules.*", "UNKNOWN_FIELD"),
        ("properties=descriptions.", "UNKNOWN_FIELD"),
        ("properties=descriptions.english", "UNKNOWN_FIELD"),
        ("properties=descriptions,descriptions.en", "CONFLICTING_PROPERTIES"),
        ("properties=ID", "UNKNOWN_FIELD"),
        ("properties=*", "UNKNOWN_FIELD"),
        ("properties=updateInfo.*", "UNKNOWN_FIELD"),
    ],
)
def test_what_cannot_be_selected_is_refused(alice, query, code):
    """Missing, empty, unknown: 400 at `properties`."""
    response = alice.get(alice.account(f"elements-fetch?{query}"))

    assert response.status_code == 400
    assert {(error["path"], error["code"]) for error in response.json()["errors"]} == {("properties", code)}


@pytest.mark.contract("D8", "B3")
def test_the_number_of_properties_is_bounded(alice):
    """200 are accepted, 201 refused: each unknown one costs a search for similar names."""
    alice.send("POST", alice.account(), account())
    assert alice.get(alice.account(f"elements-fetch?properties={','.join(['id'] * 200)}")).status_code == 200

    response = alice.get(alice.account(f"elements-fetch?properties={','.join(['x'] * 201)}"))

    assert response.status_code == 400
    assert [error["code"] for error in response.json()["errors"]] == ["TOO_MANY"]
