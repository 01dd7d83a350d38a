"""What differs between two versions of an element, as people read it."""

from typing import Any

import pytest

from account.serializers import ACCOUNT_WIRE, AccountSerializer
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.declaration.fields import NO_CONTEXT
from dimensions_site.elements.writing.differences import Difference, differences
from tests.factories import account, currency
from tests.random_elements import RandomElements

pytestmark = pytest.mark.contract("C18")


def changes(wire: Any, before: Any, after: Any) -> list[tuple[str, str, str]]:
    return [(found.path, found.before, found.after) for found in differences(wire, before, after)]


def test_a_changed_leaf_is_named_by_its_wire_path() -> None:
    """In the order of the wire, wherever the difference is."""
    before = account(rules={"accrual": {"debitAccrual": {"id": "7", "description": None}}})
    after = account(rules={"accrual": {"debitAccrual": None}, "validationChecks": {"icSignCheck": "X"}}, type="DETAIL")
    assert changes(ACCOUNT_WIRE, before, after) == [
        ("type", "Normal", "Detail"),
        ("rules.accrual.debitAccrual.id", "7", "not set"),
        ("rules.validationChecks.icSignCheck", "not set", "X"),
    ]


def test_each_entry_of_a_map_is_a_difference_of_its_own() -> None:
    """One added, one removed, one changed, and one that lost its text; others are not listed.

    By key, because databases keep the entries of a map in different orders.
    """
    before = account(descriptions={"en": "Cash", "de": "Kasse", "fr": "Caisse", "it": "Cassa"})
    after = account(descriptions={"en": "Cash", "de": "Bank", "fr": None, "es": "Caja"})
    assert changes(ACCOUNT_WIRE, before, after) == [
        ("descriptions.de", "Kasse", "Bank"),
        ("descriptions.es", "not set", "Caja"),
        ("descriptions.fr", "Caisse", "no text"),
        ("descriptions.it", "Cassa", "not set"),
    ]


def test_an_entry_without_text_is_not_a_missing_one() -> None:
    """Contract C3 distinguishes both, and so does the text for people."""
    assert changes(CURRENCY_WIRE, currency(), currency(descriptions={"en": "Euro", "de": "Euro", "fr": None})) == [
        ("descriptions.fr", "not set", "no text")
    ]


def test_a_map_without_entries_is_not_one_that_is_not_set() -> None:
    """Otherwise a version would show no change although something was changed."""
    assert changes(ACCOUNT_WIRE, account(customAttributes=None), account(customAttributes={})) == [
        ("customAttributes", "not set", "no entries")
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), ("", '""'), (" ", '" "'), (" x", '" x"'), ("0010", "0010"), ("现金", "现金")],
)
def test_values_are_shown_so_that_none_looks_like_another(value: object, text: str) -> None:
    """Quotes show blanks at an end, and the empty text."""
    [found] = differences(ACCOUNT_WIRE, account(), account(documentationLink=value))
    assert found == Difference("documentationLink", "Link to documentation", "not set", text)


def test_true_is_not_the_number_one() -> None:
    """`1 == True` in Python; on the wire they differ."""
    before = currency(referenceCurrency={"id": "X", "coefficient": True})
    after = currency(referenceCurrency={"id": "X", "coefficient": "1"})
    assert changes(CURRENCY_WIRE, before, after) == [("referenceCurrency.coefficient", "yes", "1")]


def test_who_wrote_it_and_the_description_that_the_map_contains_are_left_out() -> None:
    """They change with everything, or repeat the same."""
    before = {**currency(), "description": "Euro", "updateInfo": {"user": "alice"}}
    after = {**currency(), "description": "euro", "updateInfo": {"user": "ed"}}
    assert changes(CURRENCY_WIRE, before, after) == []


def test_a_new_element_shows_all_that_is_set_and_a_deleted_one_as_well() -> None:
    """Against nothing, every value is a difference."""
    assert changes(CURRENCY_WIRE, None, currency(descriptions={"en": "Euro"})) == [
        ("id", "not set", "EUR"),
        ("descriptions.en", "not set", "Euro"),
        ("decimalNumbers", "not set", "2"),
        ("percentageDifference", "not set", "0.0000"),
    ]
    assert changes(CURRENCY_WIRE, {"id": "EUR"}, None) == [("id", "EUR", "not set")]


def test_equal_elements_have_no_differences_and_others_have_some() -> None:
    """For random accounts as returned: differences are found exactly when the wire JSON differs."""
    source = RandomElements(ACCOUNT_WIRE, seed=7)
    declaration = AccountSerializer()
    known = [declaration.canonical({**element, "id": "1"}, NO_CONTEXT)[0] for element in source.many(40)]
    for before in known:
        assert differences(ACCOUNT_WIRE, before, before) == []
        for after in known[:5]:
            if before is not after:
                assert differences(ACCOUNT_WIRE, before, after)
