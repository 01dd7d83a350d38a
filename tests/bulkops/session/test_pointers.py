"""Errors in bodies with many elements point at what was sent (contract B1)."""

from typing import Any

import pytest
from rest_framework.exceptions import ValidationError

from account.serializers import ACCOUNT_WIRE
from bulkops.session.errors import failures_of
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.declaration.wire import Wire
from tests.factories import account, currency
from tests.strategies import SPELLINGS, put


def errors(payload: Any, wire: Wire = ACCOUNT_WIRE, id: object = "1000") -> list[tuple[str, str, str | None]]:
    """The pointer, the code and the id of each failure of an element at /post/17."""
    with pytest.raises(ValidationError) as refusal:
        wire.declaration.run_validation(payload, ElementContext("en"))
    failures = failures_of(refusal.value, payload, wire, "/post/17", id)
    return [(failure.path, failure.code, failure.id) for failure in failures]


def places(payload: Any, wire: Wire = ACCOUNT_WIRE) -> list[str]:
    """The pointers of the failures."""
    return [place for place, _, _ in errors(payload, wire)]


def test_an_id_is_shown_if_it_is_a_text_and_never_in_full_length():
    """A number is not an id, and a text of a megabyte would be in each of a thousand failures."""
    payload = account(type=None)

    assert {id for _, _, id in errors(payload, id=5)} == {None}
    assert {id for _, _, id in errors(payload, id="x" * 5_000)} == {"x" * 100 + "…"}


@pytest.mark.contract("C6")
@pytest.mark.parametrize(("listed", "example"), [pytest.param(*pair, id=pair[0]) for pair in SPELLINGS])
def test_an_error_points_at_the_spelling_that_was_sent(listed, example):
    """Whichever spelling of the specification the client uses, the pointer names it."""
    for path in (listed, example):
        payload = account()
        if path == "conversion-conversionType":
            del payload["conversion"]
        put(payload, path, 5)

        assert places(payload) == [f"/post/17/{path.replace('.', '/')}"]


@pytest.mark.contract("C6")
def test_groups_in_another_spelling_are_pointed_into():
    """Members of a group that was sent by its other name, also where both names are mixed."""
    payload = account(
        rules={"consolidaton": {"useAccountForSetup": 1, "nonsense": 2}, "accrual": {"debit": {"id": 3}}},
        bankingData={"consolidation": {"icItemOld": {"changeSign": "yes"}, "bankitReporting1Item": 4}, "other": 5},
        consolidation={"rules": {"excludeFromProportionalCalculation": 6}},
        CtpElement={"id": 7},
    )

    assert sorted(places(payload)) == [
        "/post/17/CtpElement/id",
        "/post/17/bankingData/consolidation/bankitReporting1Item",
        "/post/17/bankingData/consolidation/icItemOld/changeSign",
        "/post/17/bankingData/other",
        "/post/17/consolidation/rules/excludeFromProportionalCalculation",
        "/post/17/rules/accrual/debit/id",
        "/post/17/rules/consolidaton/nonsense",
        "/post/17/rules/consolidaton/useAccountForSetup",
    ]


@pytest.mark.contract("C6")
@pytest.mark.parametrize(("listed", "example"), [pytest.param(*pair, id=pair[0]) for pair in SPELLINGS])
def test_two_spellings_that_differ_are_an_error_at_the_one_of_the_field_list(listed, example):
    """Both were sent; the pointer names the one that responses do not use, as a path of JSON and never a dotted one."""
    payload = account()
    put(payload, example, {"en": "a"} if example == "alternativeDescriptions" else None)
    put(payload, listed, {"en": "b"} if example == "alternativeDescriptions" else "FINAL")

    assert f"/post/17/{listed.replace('.', '/')}" in places(payload)


@pytest.mark.contract("C6")
def test_a_conflict_with_a_group_that_is_null_points_at_the_value():
    """`restrictions` is null, so the restriction was sent in `CtpElement` alone."""
    assert places(account(restrictions=None, CtpElement={"id": "7"})) == ["/post/17/CtpElement"]


def test_what_is_missing_is_pointed_at_in_the_spelling_of_responses():
    """Left out, with its group or with the group being null."""
    without = account()
    del without["conversion"], without["nature"]

    assert places(without) == ["/post/17/nature", "/post/17/conversion/conversionType"]
    assert places(account(conversion=None)) == ["/post/17/conversion/conversionType"]


@pytest.mark.contract("C4")
@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"descriptions": "x" * 1001}, "/post/17/descriptions"),
        ({"descriptions": " "}, "/post/17/descriptions"),
        ({"descriptions": {"en": "x" * 1001}}, "/post/17/descriptions/en"),
        ({"description": 5}, "/post/17/description"),
        ({"description": "Dollar"}, "/post/17/description"),
        ({"referenceCurrency": {"id": 5}}, "/post/17/referenceCurrency/id"),
    ],
)
def test_the_descriptions_of_a_currency_are_pointed_at_where_they_were_sent(fields, place):
    """A plain text for the map of descriptions has no members to point at."""
    assert places(currency(**fields), CURRENCY_WIRE) == [place]


@pytest.mark.contract("C6")
def test_each_of_three_spellings_that_differs_is_an_error():
    """The value that was checked is in the first of them."""
    payload = account(
        rules={"accrual": {"debit": {"id": 5}}}, debitAccrual={"Accrual": {"id": "2"}}, creditAccrual={"Accrual": 3}
    )

    assert places(payload) == [
        "/post/17/debitAccrual/Accrual",
        "/post/17/rules/accrual/debit/id",
        "/post/17/creditAccrual/Accrual",
    ]


def test_all_errors_of_an_element_are_reported():
    """An error in the spelling of a group is reported beside errors inside the group and elsewhere."""
    payload = account(
        nonsense=1,
        rules={"consolidaton": {"useAccountForSetup": "NO"}},
        consolidation={"rules": {"useAccountForSetup": "MAYBE", "other": 2}},
    )

    assert errors(payload) == [
        ("/post/17/rules/consolidaton", "CONFLICTING_SPELLINGS", "1000"),
        ("/post/17/consolidation/rules/other", "UNKNOWN_MEMBER", "1000"),
        ("/post/17/consolidation/rules/useAccountForSetup", "INVALID", "1000"),
        ("/post/17/nonsense", "UNKNOWN_MEMBER", "1000"),
    ]
