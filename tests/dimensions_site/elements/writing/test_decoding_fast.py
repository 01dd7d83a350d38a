"""What the fast decoder takes, so that many elements are saved quickly, and what it leaves to the serializer."""

import copy
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from rest_framework.exceptions import ValidationError
from rest_framework.serializers import Serializer

from dimensions_site.api.json.elements import RawElement
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.elements.declaration.serializers import Bundle, WireObject
from dimensions_site.elements.writing.decoding import RowValues
from tests.account.samples import FULL as FULL_ACCOUNT
from tests.account.samples import MINIMAL as MINIMAL_ACCOUNT
from tests.currency.samples import FULL as FULL_CURRENCY
from tests.dimensions import MODELS
from tests.dimensions_site.elements.writing.decoders import DECODERS, DIMENSIONS, agrees, beside
from tests.dimensions_site.elements.writing.json_writing import plain
from tests.factories import account, content, currency
from tests.strategies import put

ELEMENTS: dict[str, dict[str, Any]] = {
    "currency": currency(oid="0000-EUR"),
    "account": account(rules={"grossAmountEqualICSum": True}, customAttributes={"Region": "North: west"}),
}
COMPACT: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}


def with_value(payload: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of `payload` with a value at a dotted path."""
    result = copy.deepcopy(payload)
    put(result, path, value)
    return result


def replaced(dimension: str, old: str, new: str) -> bytes:
    """The valid element in which a part of the text, which occurs once, is replaced."""
    text = plain(ELEMENTS[dimension]).decode()
    assert text.count(old) == 1, text
    return text.replace(old, new).encode()


@pytest.mark.parametrize(
    ("dimension", "payload"),
    [
        ("account", FULL_ACCOUNT),
        ("account", MINIMAL_ACCOUNT),
        ("account", account()),
        ("account", dict(reversed(FULL_ACCOUNT.items()))),
        ("account", account(restrictions=None, rules={"accrual": None}, consolidation={"bankingData": None})),
        ("account", account(restrictions={"customDimension1": None}, dataEntryAndReporting={"validity": None})),
        ("account", account(cashFlowPlanning={"variation": None, "liquidity": {"debit": {"id": "1"}}})),
        ("account", account(cashFlowPlanning={"variation": {"debit": {"id": None}}}, monthlySplittingRules={})),
        ("account", account(descriptions={"en": 'Cash " \\ / ü 现 😀', "de": None, "fr": ""})),
        ("account", account(updateInfo={"user": "mallory", "date": None, "origin": "FORGED"})),
        ("currency", FULL_CURRENCY),
        ("currency", currency()),
        ("currency", currency(description="Euro", referenceCurrency=None)),
        ("currency", currency(descriptions={"fr": "Euro"}, description=None)),
        ("currency", currency(referenceCurrency={"id": None, "coefficient": True})),
    ],
)
@pytest.mark.contract("C5", "C8", "C10", "C14")
def test_valid_elements_are_decoded_fast(dimension, payload):
    """Whole elements, and some with members left out or null, in each of the ways in which programs write JSON."""
    for text in (json.dumps(payload), json.dumps(payload, **COMPACT), json.dumps(payload, indent=1)):
        assert agrees(dimension, text.encode())


@pytest.mark.contract("C15")
@pytest.mark.parametrize(
    ("dimension", "patch"),
    [
        ("account", {}),
        ("account", FULL_ACCOUNT),
        ("account", {"id": "1000", "documentationLink": None, "descriptions": {"de": None, "it": "Cassa"}}),
        ("account", {"rules": None, "conversion": {"referenceAccountForInitialBalance": "7"}}),
        ("account", {"cashFlowPlanning": {"variation": {"debit": None}}, "consolidation": {"bankingData": None}}),
        ("account", {"updateInfo": {"user": "mallory"}}),
        ("currency", {"descriptions": {"en": "Euro!"}, "oid": "0000-EUR"}),
        ("currency", {"preferred": None, "referenceCurrency": {"coefficient": "2"}}),
        ("currency", FULL_CURRENCY),
    ],
)
def test_valid_patches_are_decoded_fast(alice, dimension, patch):
    """The row after the patch is the one of the exact way; `current` is what the service returns."""
    payload = {"account": FULL_ACCOUNT, "currency": FULL_CURRENCY}[dimension]
    path = alice.elements(dimension, f"elements/{payload['id']}")
    current = content(alice.send("PUT", path, payload)).decode()
    element = MODELS[dimension]._base_manager.get(element_id=payload["id"])
    decoder = DECODERS[dimension]

    sent, context = RawElement(plain(patch)), beside(element, element.element_id)

    row = decoder.fast_patch(current, sent, context)

    assert row is not None
    assert row == decoder.exact_patch(current, sent, context)


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        pytest.param("account", replaced("account", '"nature":', '"nature": "OTHER_STOCKS", "nature":'), id="leaf"),
        pytest.param("account", replaced("account", '"rules":', '"rules": {}, "rules":'), id="group"),
        pytest.param("account", replaced("account", '"en":', '"en": null, "en":'), id="entry of a map"),
        pytest.param("account", replaced("account", '"en":', '"e\\u006e": null, "en":'), id="written differently"),
        pytest.param(
            "account", replaced("account", '"North: west"', '"a", "Region": "North\\u003a west"'), id="escaped colon"
        ),
        pytest.param(
            "account", replaced("account", '"type":', '"updateInfo": {"user": "a", "user": "b"}, "type":'), id="ignored"
        ),
        pytest.param("currency", replaced("currency", '"oid":', '"oid": null, "oid":'), id="null first"),
        pytest.param(
            "currency",
            replaced("currency", '"oid":', '"description": "Euro", "description": "Euro", "oid":'),
            id="description",
        ),
        pytest.param("account", replaced("account", '"Cash"', '"Ca\\u0000sh"'), id="NUL"),
        pytest.param("account", replaced("account", '"Cash"', '"Ca\\ud800sh"'), id="half a character"),
        pytest.param("account", replaced("account", '"Cash"', '"Ca\tsh"'), id="control character"),
        pytest.param("account", replaced("account", '"Cash"', "NaN"), id="not a number"),
        pytest.param("account", replaced("account", '"type":', '"nonsense": 1, "type":'), id="unknown member"),
        pytest.param("account", replaced("account", '"BALANCE_SHEET"', "null"), id="null for what is required"),
        pytest.param("account", replaced("account", "true", '"true"'), id="text for a boolean"),
        pytest.param("account", replaced("account", '"en":', '"en\\n":'), id="line end in a language"),
        pytest.param("account", replaced("account", '"1000"', '"1000 "'), id="blank at the end of the id"),
        pytest.param("account", plain(account(customAttributes={"x" * 129: None})), id="name too long"),
        pytest.param("account", plain(account(customAttributes={"": None})), id="no name"),
        pytest.param("account", b"[" * 100_000, id="depth"),
        pytest.param("currency", replaced("currency", "2,", "9" * 5_000 + ","), id="digits"),
        pytest.param("account", b"", id="nothing"),
        pytest.param("account", plain(account(descriptions={"en": " ", "de": None})), id="blank descriptions"),
        pytest.param(
            "account",
            plain(with_value(account(), "dataEntryAndReporting.validity", {"startDate": "2026-02", "endDate": None})),
            id="no date",
        ),
        pytest.param(
            "account",
            plain(
                with_value(
                    account(), "dataEntryAndReporting.validity", {"startDate": "2026-02-02", "endDate": "2026-02-01"}
                )
            ),
            id="end before start",
        ),
        pytest.param("currency", plain(currency(decimalNumbers=21)), id="too large"),
        pytest.param("currency", plain(currency(decimalNumbers=2.0)), id="fraction"),
        pytest.param("currency", plain(currency(percentageDifference="1,5")), id="no decimal"),
        pytest.param("currency", plain(currency(percentageDifference="1.5\n")), id="line end in a number"),
        pytest.param("currency", plain(currency(description="Dollar")), id="two descriptions"),
        pytest.param("currency", plain(currency(oid="")), id="empty oid"),
    ],
)
def test_what_is_wrong_is_left_to_the_exact_way_which_refuses_it(dimension, text):
    """Nothing that the strict reader or the serializer refuses passes."""
    decoder = DECODERS[dimension]

    assert decoder.fast(RawElement(text), beside()) is None
    with pytest.raises((JsonError, ValidationError)):
        decoder.whole(RawElement(text), beside())


@pytest.mark.contract("C8")
def test_only_groups_have_rules_of_their_own():
    """The fast decoder decodes groups member by member; a bundle is one value to it."""

    def bundles(declaration: WireObject) -> list[Bundle]:
        inner = [member for member in declaration.fields.values() if isinstance(member, WireObject)]
        return [member for member in inner if isinstance(member, Bundle)] + [b for m in inner for b in bundles(m)]

    found = [bundle for wire, _ in DIMENSIONS.values() for bundle in bundles(wire.declaration)]

    assert len(found) > 20
    assert {type(bundle).validate for bundle in found} == {Serializer.validate}


DECODER = DECODERS["currency"]
# With such a character an id is valid only if it is stored already, so the decoder asks for the stored id.
OLD = "a\u202ab"


class Existing:
    """A stored currency; `meanwhile` is called when its id is read, which is before its oid is."""

    def __init__(self, number: int, meanwhile: Callable[[], object]) -> None:
        self.oid = f"oid-{number}"
        self._id = f"{OLD}{number}"
        self._meanwhile = meanwhile

    @property
    def element_id(self) -> str:
        self._meanwhile()
        return self._id


def fast(text: bytes, existing: Any) -> RowValues | None:
    return DECODER.fast(RawElement(text), beside(existing))


def exact(text: bytes, existing: Any) -> RowValues:
    return DECODER.exact(read_json(text), beside(existing))


both_ways = pytest.mark.parametrize("decode", [fast, exact])


def decoded(
    decode: Callable[[bytes, Any], RowValues | None], number: int, meanwhile: Callable[[], object]
) -> tuple[Any, ...]:
    """The id and the oid in the row of the currency with the `number`."""
    row = decode(plain(currency(f"{OLD}{number}")), Existing(number, meanwhile))
    assert row is not None
    return row[DECODER.columns.index("element_id")], row[DECODER.columns.index("oid")]


@both_ways
def test_threads_share_a_decoder(decode: Callable[[bytes, Any], RowValues | None]) -> None:
    """Each waits for the other one in the middle of its element."""
    barrier = Barrier(2, timeout=10)
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda number: decoded(decode, number, barrier.wait), range(2)))

    assert found == [(f"{OLD}0", "oid-0"), (f"{OLD}1", "oid-1")]


@both_ways
def test_an_element_is_decoded_while_another_one_is(decode: Callable[[bytes, Any], RowValues | None]) -> None:
    """A decode within a decode, by the same decoder, does not disturb the outer one."""
    inner: list[object] = []

    outer = decoded(decode, 0, lambda: inner.append(decoded(decode, 1, lambda: None)))

    assert (outer, inner) == ((f"{OLD}0", "oid-0"), [(f"{OLD}1", "oid-1")])
