"""What is exported can be imported again: it changes nothing, and in an empty repository it makes the same elements."""

from tempfile import TemporaryFile
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bulkops.files.exporting import chosen_paths, write_export
from bulkops.files.formats.reading import open_source
from bulkops.files.formats.rows import FileShape
from bulkops.files.formats.table import FORMATS
from bulkops.files.imports.importing import Importer
from bulkops.files.imports.options import Options
from bulkops.files.imports.reports import Report
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.repositories.models import Repository
from dimensions_site.text.files import Format
from tests.dimensions import DIMENSIONS
from tests.factories import Person, account, content, json_bytes, read
from tests.random_elements import RandomElements
from tests.storing import taken_back
from tests.strategies import elements

SHAPES = [
    *(FileShape(format, FORMATS[format].encoding) for format in Format),
    *(FileShape(format, gzipped=True) for format in (Format.CSV, Format.NDJSON)),
]
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.format}{'.gz' * shape.gzipped}")
each_dimension = pytest.mark.parametrize("dimension", DIMENSIONS)
# Each example undoes what it wrote, so that the repository and its people serve all examples.
searching = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
)
pytestmark = [pytest.mark.contract("H4"), pytest.mark.usefixtures("db")]


def several(dimension: str) -> st.SearchStrategy[tuple[str, list[dict[str, Any]]]]:
    """Some elements of different ids and oids."""
    bodies = st.lists(elements(DIMENSIONS[dimension].wire), min_size=1, max_size=3, unique_by=lambda body: body["id"])
    return bodies.map(lambda some: (dimension, [{**body, **oid(i, dimension)} for i, body in enumerate(some)]))


def oid(number: int, dimension: str) -> dict[str, str]:
    return {"oid": f"={number}"} if dimension == "currency" else {}


def path_of(alice: Person, dimension: str) -> str:
    return alice.currency() if dimension == "currency" else alice.account()


def stored(alice: Person, dimension: str) -> list[Any]:
    """The elements as returned, without who changed them and when."""
    found = read(alice.get(path_of(alice, dimension)))
    return [{name: value for name, value in element.items() if name != "updateInfo"} for element in found]


def save(alice: Person, dimension: str, bodies: list[dict[str, Any]]) -> None:
    response = alice.send("POST", f"{path_of(alice, dimension)}-bulk", json_bytes({"post": bodies}))
    assert response.status_code == 200, response.content
    content(response)


def export_to(
    file: BinaryIO, shape: FileShape, dimension: str, properties: str | None = None, languages: str | None = None
) -> int:
    model, wire = DIMENSIONS[dimension].model, DIMENSIONS[dimension].wire
    repository = Repository.objects.get(db_id="northwind")
    paths, failures = chosen_paths(wire, repository, properties, languages)
    assert failures == []
    found = model._base_manager.filter(repository=repository).order_by("element_id")
    return write_export(found, wire, repository, paths=paths, shape=shape, file=file, progress=lambda count: None)


def import_from(file: BinaryIO, dimension: str) -> Report:
    repository = Repository.objects.get(db_id="northwind")
    file.seek(0)
    with open_source(file) as source:
        return Importer(DIMENSIONS[dimension], repository, Actor(SYSTEM, Channel.IMPORT), Options()).run(source)


def without_empty_maps(found: list[Any]) -> list[Any]:
    """A table has no cell for a map without entries."""
    maps = ("alternativeDescriptions", "customAttributes")
    return [{name: None if name in maps and value == {} else value for name, value in each.items()} for each in found]


def check_round_trip(alice: Person, dimension: str, shape: FileShape) -> None:
    """Export, import beside what is there, then import where nothing is."""
    before = stored(alice, dimension)
    with TemporaryFile() as file:
        assert export_to(file, shape, dimension) == len(before)
        report = import_from(file, dimension)
        assert (report.created, report.changed, report.unchanged) == (0, 0, len(before))
        assert stored(alice, dimension) == before
        DIMENSIONS[dimension].model._base_manager.all().delete()
        assert import_from(file, dimension).created == len(before)
        after = stored(alice, dimension)
    assert after == (without_empty_maps(before) if shape.format.is_table else before)


@searching
@given(st.sampled_from(SHAPES), st.sampled_from(sorted(DIMENSIONS)).flatmap(several))
def test_whatever_is_exported_is_imported_as_it_was(alice: Person, shape: FileShape, drawn: tuple[str, Any]) -> None:
    """Any text, empty ones, nulls of maps, nulls instead of defaults: every row is unchanged, every element equal."""
    dimension, bodies = drawn
    with taken_back():
        save(alice, dimension, bodies)
        check_round_trip(alice, dimension, shape)


@each_shape
def test_ids_and_names_of_attributes_with_marks_that_nobody_sees_come_back(alice: Person, shape: FileShape) -> None:
    """They are others than those without the marks."""
    names = ["owner", "owner\u200b", "owner\ufeff", "\u200bowner", "\ufeff"]
    save(alice, "account", [account(f"{name}1", customAttributes={name: "Ann"}) for name in names])
    check_round_trip(alice, "account", shape)


@each_dimension
@each_shape
def test_many_elements_of_many_shapes_come_back(alice: Person, shape: FileShape, dimension: str) -> None:
    """With all languages and attributes of all of them as columns."""
    save(alice, dimension, RandomElements(DIMENSIONS[dimension].wire, seed=11).many(50))
    check_round_trip(alice, dimension, shape)


@pytest.mark.parametrize("shape", [FileShape(Format.CSV), FileShape(Format.NDJSON)], ids=["table", "elements"])
@pytest.mark.parametrize(
    ("properties", "languages"),
    [
        ("id,descriptions", None),
        ("id,description,alternativeDescriptions", None),
        ("id,descriptions.fr,descriptions.de", None),
        ("cashFlowPlanning.variation,id,customAttributes,rules.accrual.debit.id", None),
        (None, "fr,de"),
        ("id,descriptions,alternativeDescriptions", "it"),
    ],
)
def test_a_part_of_the_fields_changes_nothing_either(
    alice: Person, shape: FileShape, properties: str | None, languages: str | None
) -> None:
    """A missing entry is not created, not even as null."""
    texts = {"en": "Cash", "fr": None, "it": ""}
    save(
        alice,
        "account",
        [
            account(descriptions=texts, alternativeDescriptions={"de": "=1"}, customAttributes={"a": None}),
            account("2000", cashFlowPlanning={"variation": {"debit": {"id": "7"}}}),
            account("3000", alternativeDescriptions={}),
        ],
    )
    before = stored(alice, "account")
    with TemporaryFile() as file:
        export_to(file, shape, "account", properties, languages)
        report = import_from(file, "account")
    assert (report.created, report.changed, report.unchanged) == (0, 0, 3)
    assert stored(alice, "account") == before


@each_shape
def test_a_repository_without_elements_is_exported_too(northwind: Repository, shape: FileShape) -> None:
    """The file is one of its format, and to import it does nothing."""
    with TemporaryFile() as file:
        assert export_to(file, shape, "currency") == 0
        if shape.format is not Format.NDJSON:
            assert (report := import_from(file, "currency")).rejected + report.created + report.unchanged == 0
