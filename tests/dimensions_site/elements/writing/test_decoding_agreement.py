"""The fast decoder and the serializer: whatever the one accepts, the other accepts with the same row."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.api.json.elements import RawElement
from dimensions_site.elements.declaration.fields import NO_CONTEXT
from tests.dimensions_site.elements.writing.decoders import DECODERS, DIMENSIONS, agrees, answer, beside, stored
from tests.dimensions_site.elements.writing.json_writing import damaged, nearly, plain, strangely
from tests.strategies import elements, json_values, leaf_values, patches, respelled

# One leaf of each kind, by the path of one of that kind.
LEAVES = {
    f"{dimension} {place.path}": place.leaf
    for place, dimension in {
        f"{type(place.leaf)} {place.leaf.request_schema()}": (place, dimension)
        for dimension, (wire, _) in DIMENSIONS.items()
        for place in wire.places.values()
    }.values()
}
any_dimension = st.sampled_from(sorted(DIMENSIONS))
style = st.randoms(use_true_random=False)
# Values that a member may have in error: of the wrong type, too long, nearly right.
wrong_values = st.one_of(
    json_values,
    st.sampled_from(
        (None, True, 0, 1, 20, 21, -1, 2.0, "", " ", ".", "true", "0", "1.", "NONE", "x" * 129, "x" * 1001)
    ),
    st.sampled_from(("2026-01-31", "2026-02-31", "INCREASE_IN_LIABILITIES", "INCREASE IN LIABILITIES", "en\n", "a\0b")),
    st.sampled_from(({}, {"id": None}, {"id": "1"}, {"id": "1", "description": None}, {"en": None}, {"en": "x"}, [])),
)


def count(dimension: str, *, is_fast: bool) -> None:
    """Count for the statistics of the search, which show whether it covers what it should."""
    event(f"{dimension}: {'fast' if is_fast else 'for the serializer'}")


@pytest.mark.contract("B3", "C5", "C6", "C19")
@given(any_dimension, st.data(), style)
def test_an_element_written_in_any_way_gives_one_row(dimension: str, data: st.DataObject, choice: Random) -> None:
    """Other orders, blanks and escapes, other spellings, duplicate members."""
    payload = data.draw(elements(DIMENSIONS[dimension][0]), label="element")
    if dimension == "account" and choice.random() < 0.2:
        payload = respelled(payload, choice)
    if dimension == "currency" and choice.random() < 0.5:
        payload["description"] = choice.choice((None, "", *payload["descriptions"].values()))

    count(dimension, is_fast=agrees(dimension, strangely(payload, choice, twice=choice.choice((0.0, 0.0, 0.02, 0.2)))))


@pytest.mark.contract("B3", "C2")
@given(st.data(), style)
def test_a_replaced_currency_keeps_its_oid(data: st.DataObject, choice: Random) -> None:
    """The stored oid is accepted, or left out; another one is for the serializer to refuse."""
    existing = stored("currency", data.draw(elements(CURRENCY_WIRE), label="stored"))
    assert isinstance(existing, Currency)
    payload = data.draw(elements(CURRENCY_WIRE), label="element")
    if choice.random() < 0.5:
        payload["oid"] = existing.oid

    count("currency", is_fast=agrees("currency", strangely(payload, choice), existing))


@pytest.mark.contract("B3", "C5", "C8", "C10")
@given(any_dimension, st.data(), style)
def test_a_nearly_valid_element_gives_one_row_or_none(dimension: str, data: st.DataObject, choice: Random) -> None:
    """Members of another type, too long, missing, unknown, null."""
    payload = data.draw(elements(DIMENSIONS[dimension][0]), label="element")
    spoilt = data.draw(nearly(payload, wrong_values), label="spoilt")

    count(dimension, is_fast=agrees(dimension, strangely(spoilt, choice)))


@pytest.mark.contract("B3")
@given(any_dimension, st.data())
def test_damaged_text_gives_one_row_or_none(dimension: str, data: st.DataObject) -> None:
    """Parts of the text are cut out, repeated or inserted: it is JSON for both decoders or for the exact one alone."""
    payload = data.draw(elements(DIMENSIONS[dimension][0]), label="element")

    count(dimension, is_fast=agrees(dimension, data.draw(damaged(plain(payload)), label="text")))


@pytest.mark.contract("C5", "C8")
@given(any_dimension, st.data())
def test_what_is_answered_is_taken_fast(dimension: str, data: st.DataObject) -> None:
    """Every element as in responses, unless a text needs an escape that is left to the exact way."""
    element = stored(dimension, data.draw(elements(DIMENSIONS[dimension][0]), label="element"))
    text = answer(dimension, element).encode()

    assert agrees(dimension, text, element) or b"\\u00" in text


@pytest.mark.contract("B3", "C15")
@given(any_dimension, st.data(), style)
def test_a_patch_gives_one_row(dimension: str, data: st.DataObject, choice: Random) -> None:
    """Valid and nearly valid patches, written in any way, of any element."""
    wire, _ = DIMENSIONS[dimension]
    element = stored(dimension, data.draw(elements(wire), label="element"))
    patch = data.draw(patches(wire) | elements(wire), label="patch")
    if "id" in patch and choice.random() < 0.8:
        patch["id"] = element.element_id
    if dimension == "currency" and choice.random() < 0.3:
        patch["description"] = choice.choice((None, "Euro", *element.descriptions.values()))
    if choice.random() < 0.4:
        patch = data.draw(nearly(patch, wrong_values), label="spoilt")
    text = strangely(patch, choice, twice=choice.choice((0.0, 0.0, 0.1)))
    if choice.random() < 0.2:
        text = data.draw(damaged(text), label="text")
    current = answer(dimension, element)
    decoder = DECODERS[dimension]

    row = decoder.fast_patch(current, RawElement(text), beside(element, element.element_id))

    count(dimension, is_fast=row is not None)
    if row is not None:
        assert row == decoder.exact_patch(current, RawElement(text), beside(element, element.element_id))


@pytest.mark.parametrize("name", LEAVES)
@given(st.data())
def test_every_leaf_takes_by_its_fast_type_what_it_takes_anyway(name: str, data: st.DataObject) -> None:
    """A value of the fast type is stored as it is, or as `fast_value` says, just as `value_in` stores it."""
    leaf = LEAVES[name]
    value = data.draw(wrong_values if leaf.read_only else leaf_values(leaf) | wrong_values, label="value")
    try:
        taken = msgspec.convert(value, leaf.fast_type())
    except msgspec.ValidationError:
        return

    def outcome(read: Any) -> Any:
        try:
            return read(value, NO_CONTEXT)
        except ValidationError:
            return ValidationError

    exact = outcome(leaf.value_in)
    assert taken == value
    assert outcome(leaf.fast_value) == exact
    assert exact == value or not leaf.fast_type_decides
