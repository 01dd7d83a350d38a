"""What holds for every element and every change of it, in both dimensions."""

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from account.serializers import ACCOUNT_WIRE
from dimensions_site.api.failures import wire_path
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.dimension import dimension_named, dimensions
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.rendering import full_renderer
from tests.factories import Person, content, json_bytes, read
from tests.storing import taken_back
from tests.strategies import elements, get, json_values, patches, put, respelled

DIMENSIONS: Mapping[str, tuple[Wire, type[Element]]] = {
    dimension.name: (dimension.wire, dimension.model) for dimension in dimensions()
}
any_element = st.sampled_from(sorted(DIMENSIONS)).flatmap(
    lambda dimension: st.tuples(st.just(dimension), elements(DIMENSIONS[dimension][0]))
)
style = st.randoms(use_true_random=False)
# Each example undoes what it wrote, so that the repository and its people serve all examples.
searching = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
)
pytestmark = pytest.mark.usefixtures("db")


def path(alice: Person, dimension: str, rest: str = "elements") -> str:
    return alice.elements(dimension, rest)


def posted(alice: Person, dimension: str, payload: Any) -> tuple[str, Any]:
    """The path of the element, and the service's response to its creation."""
    response = alice.send("POST", path(alice, dimension), payload)
    assert response.status_code == 201, response.content
    return response.headers["Location"], read(response)


def without(element: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in element.items() if name not in names}


@pytest.mark.contract("C8")
@searching
@given(any_element)
def test_the_fast_renderer_writes_what_the_serializer_represents(alice: Person, drawn: tuple[str, Any]) -> None:
    """Both ways of writing an element, from a row and from a model instance, give the same JSON."""
    dimension, payload = drawn
    wire, model = DIMENSIONS[dimension]
    with taken_back():
        posted(alice, dimension, payload)
        stored = model._base_manager.get()
        text = full_renderer(dimension_named(dimension), "en").one(stored.repository, stored.element_id)

        represented = wire.json_of(stored, "en")

    assert text is not None
    assert json.loads(text) == represented


@pytest.mark.contract("D8", "H1")
@searching
@given(any_element)
def test_every_path_addresses_the_value_that_a_fetch_answers_for_it(alice: Person, drawn: tuple[str, Any]) -> None:
    """All paths of the wire in one fetch give back the whole element, in the shape it has when it is read."""
    dimension, payload = drawn
    wire, _ = DIMENSIONS[dimension]
    paths = ["descriptions.*" if path == "descriptions" else path for path in wire.places]
    with taken_back():
        _, element = posted(alice, dimension, payload)
        [fetched] = read(alice.get(path(alice, dimension, f"elements-fetch?properties={','.join(paths)}")))

    assert fetched == element


@pytest.mark.contract("D3", "D4")
@settings(searching, max_examples=15)
@given(any_element)
def test_filtering_by_each_value_finds_the_element(alice: Person, drawn: tuple[str, Any]) -> None:
    """The value at a path of the JSON is found under that path, and null by `=isnull=`."""
    dimension, payload = drawn
    wire, _ = DIMENSIONS[dimension]
    with taken_back():
        _, element = posted(alice, dimension, payload)
        for place in wire.places.values():
            if place.path == "oid" or place.is_map:
                continue
            value = get(element, place.path)
            condition = f"{place.path}=isnull=true" if value is None else f"{place.path}=={literal(value)}"
            if not can_be_asked(condition):
                continue
            response = alice.get(path(alice, dimension, f"elements?{urlencode({'filter': condition})}"))
            assert response.status_code == 200, response.content
            assert [found["id"] for found in read(response)] == [element["id"]], condition


def literal(value: Any) -> str:
    """A value as a filter writes it."""
    text = value if isinstance(value, str) else json.dumps(value)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def can_be_asked(condition: str) -> bool:
    """Whether a filter can hold the condition: control characters and long texts cannot be searched for."""
    control = any((ord(c) < 32 and c != "\t") or 127 <= ord(c) < 160 for c in condition)
    return not control and len(condition) <= 4096


@pytest.mark.contract("C5", "C14", "C16", "C18")
@searching
@given(any_element)
def test_what_was_read_can_be_put_back_and_changes_nothing(alice: Person, drawn: tuple[str, Any]) -> None:
    """The body of GET is valid for PUT; nothing is written then: the same entity tag, no row of history."""
    dimension, payload = drawn
    _, model = DIMENSIONS[dimension]
    with taken_back():
        location, _ = posted(alice, dimension, payload)
        before = alice.get(location)
        after = alice.send("PUT", location, content(before))

        assert after.status_code == 200, after.content
        assert content(after) == content(before)
        assert after.headers["ETag"] == before.headers["ETag"]
        assert model.version_model.objects.count() == 1


@pytest.mark.contract("C6")
@searching
@given(elements(ACCOUNT_WIRE), style)
def test_every_spelling_of_an_account_creates_the_same_account(alice: Person, payload: Any, choice: Random) -> None:
    """Any mixture of the two spellings of the specification means what the spelling of responses means."""
    with taken_back():
        _, expected = posted(alice, "account", payload)
    with taken_back():
        _, element = posted(alice, "account", respelled(payload, choice))

    assert without(element, "updateInfo") == without(expected, "updateInfo")


@pytest.mark.contract("C15")
@searching
@given(any_element, st.data())
def test_a_patch_merges_member_by_member(alice: Person, drawn: tuple[str, Any], data: st.DataObject) -> None:
    """PATCH leaves the element that a PUT of the merged JSON would leave, by a plain model of merging."""
    dimension, payload = drawn
    wire, _ = DIMENSIONS[dimension]
    patch = data.draw(patches(wire), label="patch")
    with taken_back():
        location, element = posted(alice, dimension, payload)
        merged = merge(without(element, "description"), without(patch, "updateInfo"))
        if not is_in_order(merged):
            return
        expected = alice.send("PUT", location, merged)
        assert expected.status_code == 200, expected.content
        alice.send("PUT", location, element)
        body = respelled(patch, data.draw(style)) if dimension == "account" else patch
        patched = alice.send("PATCH", location, body)

        assert patched.status_code == 200, patched.content
        assert without(read(patched), "updateInfo") == without(read(expected), "updateInfo")


def merge(current: Any, patch: Any) -> Any:
    """What contract C15 says about two JSON values."""
    if not isinstance(current, dict) or not isinstance(patch, dict):
        return patch
    return current | {name: merge(current.get(name), value) for name, value in patch.items()}


def is_in_order(element: dict[str, Any]) -> bool:
    """Whether what a merge can break holds: some description says something, and no validity ends before it starts."""
    validity = (element.get("dataEntryAndReporting") or {}).get("validity") or {}
    dates = [validity.get("startDate"), validity.get("endDate")]
    return any((text or "").strip() for text in element["descriptions"].values()) and None in dates


@pytest.mark.contract("B1", "B3", "C5")
@searching
@given(any_element, st.data())
def test_a_hostile_body_is_refused_in_full_or_accepted(
    alice: Person, drawn: tuple[str, Any], data: st.DataObject
) -> None:
    """Any JSON in any place gives 201, or a 400 that stores nothing and whose paths are fields of the wire or body."""
    dimension, payload = drawn
    wire, model = DIMENSIONS[dimension]
    for place in data.draw(st.lists(st.sampled_from([*paths_of(wire), "nonsense"]), max_size=4), label="places"):
        spoil(payload, place, data.draw(json_values, label=place))
    with taken_back():
        response = alice.send("POST", path(alice, dimension), payload)

        assert response.status_code in {201, 400}, response.content
        if response.status_code == 400:
            assert model._base_manager.count() == 0
            known = {*paths_of(wire), *members(payload)}
            for error in response.json()["errors"]:
                assert error["path"] in known, error
                assert error["message"].endswith(".")
                assert error["code"].isupper()


@pytest.mark.contract("B3")
@searching
@given(st.sampled_from(sorted(DIMENSIONS)), st.sampled_from(("POST", "PUT", "PATCH")), json_values)
def test_any_json_as_the_whole_body_is_refused(alice: Person, dimension: str, method: str, body: Any) -> None:
    """Random JSON is never an element: 400 for a new one, and for PATCH 400, or 404 when nothing in it is wrong."""
    rest = "elements" if method == "POST" else "elements/1000"

    response = alice.send(method, path(alice, dimension, rest), json_bytes(body))

    assert response.status_code == (404 if (method, body) == ("PATCH", {}) else 400), response.content


def paths_of(wire: Wire) -> list[str]:
    """All paths of the wire, those of groups too."""
    parts = [path.split(".") for path in wire.places]
    return sorted({".".join(part[:length]) for part in parts for length in range(1, len(part) + 1)})


def spoil(payload: dict[str, Any], place: str, value: Any) -> None:
    """Put a value at a path, unless something else is in the way."""
    *groups, _ = place.split(".")
    inner: Any = payload
    for group in groups:
        inner = inner.setdefault(group, {})
        if not isinstance(inner, dict):
            return
    put(payload, place, value)


def members(value: Any, prefix: str = "") -> Iterator[str]:
    """The paths of all members of a JSON value."""
    yield prefix
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from members(inner, wire_path(prefix, name))
