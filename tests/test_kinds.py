"""A kind of leaf is complete: everything that decides by the kind knows it (CONTRIBUTING, "A kind of field")."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from bulkops.files.exporting import write_export
from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import FileShape
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from dimensions_site.administration.conditions.condition_form import ConditionForm
from dimensions_site.administration.inputs.controls import control_of
from dimensions_site.administration.lists.columns import FieldValues
from dimensions_site.administration.table.columns import cell_text, typed_value
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.maps import DescriptionField
from dimensions_site.elements.declaration.wire import NamedField, Place
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.cells import typed_cell, untyped_cell
from dimensions_site.elements.reading.filters import ElementFields
from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.operators import BY_SYMBOL, OPERATORS, Relation
from dimensions_site.rsql.parser import Comparison
from dimensions_site.rsql.parser import write as write_filter
from dimensions_site.text.files import Format
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.administration.lists.test_chips import values_for
from tests.dimensions_site.elements.reading.test_filters_answer_as_meant import STRANGERS
from tests.docs.field_tables import _type as type_in_documents
from tests.factories import MAKERS, read
from tests.random_elements import _VALUES as RANDOM_VALUES
from tests.storing import place_change_sets
from tests.strategies import leaf_values


def kinds_below(kind: type[Leaf]) -> Iterator[type[Leaf]]:
    for below in kind.__subclasses__():
        if below.__module__.startswith("dimensions_site."):
            yield below
            yield from kinds_below(below)


# The default description repeats `descriptions`, and is no column.
KINDS = [kind for kind in dict.fromkeys(kinds_below(Leaf)) if kind is not DescriptionField]  # type: ignore[type-abstract]


def sample(kind: type[Leaf]) -> tuple[Dimension, Place]:
    """A field of the kind, in a column of its own if there is one."""
    places = [
        (dimension, place)
        for dimension in DIMENSIONS.values()
        for place in dimension.wire.places.values()
        if type(place.leaf) is kind
    ]
    if not places:
        pytest.fail(f"No field is a {kind.__name__}: declare one, or delete the kind.")
    return min(places, key=lambda found: (found[1].leaf.read_only, found[1].leaf.required, bool(found[1].inside)))


@contextmanager
def known_to(what: str, place: Place) -> Iterator[None]:
    """Say what lacks the kind of the leaf."""
    try:
        yield
    except Exception as error:
        name = type(place.leaf).__name__
        raise AssertionError(f'{what} cannot cope with {name}: see "A kind of field" in CONTRIBUTING.md.') from error


def json_value(leaf: Any, seed: int = 0) -> Any:
    """A valid value, as a response shows it."""
    if leaf.field_name == "id":
        return "K"
    make = next(make for kind, make in RANDOM_VALUES if isinstance(leaf, kind))
    sent = {"de": "x"} if leaf.kind == "text map" else make(Random(seed), leaf)
    return leaf.to_representation(leaf.run_validation(sent))


def is_same(leaf: Any, one: Any, other: Any) -> bool:
    """Whether two ways to write a value mean the same."""
    return bool(leaf.read_only or leaf.run_validation(one) == leaf.run_validation(other))


def filter_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_everything_that_decides_by_the_kind_of_a_leaf_knows_each_kind(kind):
    """Filters, cells, words, forms, conditions, OpenAPI, and the samples of the tests."""
    dimension, place = sample(kind)
    leaf: Any = place.leaf
    fields, field = ElementFields(dimension, "en"), NamedField(place.path, place)
    with known_to("tests/random_elements.py", place):
        value = json_value(leaf)
    with known_to("tests/strategies.py", place):
        leaf_values(leaf)
    with known_to("tests/docs/field_tables.py", place):
        assert type_in_documents(leaf)
    with known_to("tests/dimensions_site/elements/reading/test_filters_answer_as_meant.py", place):
        assert STRANGERS[leaf.kind]
    with known_to("tests/dimensions_site/administration/lists/test_chips.py", place):
        values_for(leaf.kind, leaf.words)
    with known_to("OpenAPI", place):
        assert all(schema.get("type") or schema["oneOf"] for schema in (leaf.schema(), leaf.request_schema()))
    text = "x" if place.is_map else filter_text(value)
    for operator in OPERATORS:
        if leaf.kind in operator.kinds and place.path not in dimension.unfilterable:
            with known_to(f"The filter with {operator}", place):
                right = "true" if operator.relation is Relation.IS_SET else text
                compile_filter(Comparison(place.path, operator, (right,), position=1), fields)
    with known_to("The form of a condition", place):
        form = ConditionForm(field, fields, [])
        operation = next(each for each in form.operations if each.name in ("is", "on"))
        day = text[:10] if operation.name == "on" else text
        condition = form.read(QueryDict(urlencode({"operation": operation.name, "value": day})))
        assert place.path in dimension.unfilterable or (condition is not None and condition.words), form.errors
    if place.is_map:
        return
    with known_to("A cell of CSV", place):
        assert leaf.from_cell(untyped_cell(value)) == value
    with known_to("A cell of XLSX", place):
        assert isinstance(typed_cell(value), str) or leaf.takes_number(untyped_cell(value))
    with known_to("Leaf.from_words", place):
        assert is_same(leaf, leaf.from_words(leaf.in_words(value)), value)
    with known_to("A cell of the table in the administration", place):
        assert is_same(leaf, typed_value(field, cell_text(field, value)), value)
    with known_to("The values to choose from", place):
        assert value in field.choices or leaf.is_open or not leaf.offered
    with known_to("The control of the form", place):
        sent = urlencode({place.path: control_of(place, value).text_of(value)})
        assert is_same(leaf, control_of(place, None).read(QueryDict(sent)), value)
    with known_to("The list", place):
        assert place.inside or FieldValues(field)(dimension.model(**{place.column: leaf.run_validation(value)}))


def nested(path: str, value: Any) -> dict[str, Any]:
    """The members of an element that set the value at the path."""
    name, _, inner = path.partition(".")
    return {name: nested(inner, value) if inner else value}


def value_at(element: Any, path: str) -> Any:
    return reduce(lambda value, name: value and value[name], path.split("."), element)


WRITABLE = [
    kind for kind in KINDS if not kind.__name__.startswith(("Id", "Description")) and not sample(kind)[1].leaf.read_only
]


@pytest.mark.parametrize("kind", WRITABLE, ids=lambda kind: kind.__name__)
def test_every_way_of_writing_and_reading_knows_each_kind_of_leaf(alice, northwind, tmp_path, kind):
    """A value that is sent is answered, found, kept in the history, and comes back from a bulk save and from files."""
    dimension, place = sample(kind)
    value, path, name = json_value(place.leaf), place.path, dimension.name
    assert value is not None

    def stored() -> Any:
        return value_at(read(alice.get(alice.elements(name, "elements/K"))), path)

    others = (json_value(place.leaf, seed) for seed in range(1, 20))
    other = None if place.leaf.allow_null else next(one for one in others if one != value)

    def change() -> None:
        changed = alice.send("PATCH", alice.elements(name, "elements/K"), nested(path, other))
        assert changed.status_code == 200, changed.content

    with known_to("A single save", place):
        created = alice.send("POST", alice.elements(name), {**MAKERS[name]("K"), **nested(path, value)})
        assert created.status_code == 201, created.content
        assert stored() == value
    with known_to("A list", place):
        assert (
            value_at(read(alice.get(alice.elements(name), {"sort": "id" if place.is_map else path}))[0], path) == value
        )
    with known_to("A list with a filter", place):
        text = "x" if place.is_map else filter_text(value)
        condition = write_filter(Comparison(path, BY_SYMBOL["=="], (text,), position=1))
        assert [found["id"] for found in read(alice.get(alice.elements(name), {"filter": condition}))] == ["K"]
    with known_to("The history", place):
        change()
        place_change_sets()
        versions = read(alice.get(alice.elements(name, "elements-versions"), {"id": "K"}))
        assert path in str(versions[0]["changes"])
    with known_to("A bulk save", place):
        merged = alice.send(
            "POST", alice.elements(name, "elements-bulk"), {"merge": [{"id": "K", **nested(path, value)}]}
        )
        assert merged.status_code == 200, read(merged)
        read(merged)
        assert stored() == value
    for format in Format:
        with known_to(f"A file of {format.upper()}", place):
            rows = dimension.model.of(northwind)
            paths = ["id", "descriptions", path]
            with (tmp_path / "file").open("wb") as file:
                write_export(
                    rows, dimension.wire, northwind, paths=paths, shape=FileShape(format), file=file, progress=print
                )
            change()
            with (tmp_path / "file").open("rb") as file, open_source(file) as source:
                Importer(dimension, northwind, Actor(SYSTEM, Channel.IMPORT), Options()).run(source)
            assert stored() == value
