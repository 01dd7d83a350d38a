"""What docs/developers/sharding.md says about tables, keys and queries for shards by repository is true."""

import re
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Field, ForeignKey, Model, UniqueConstraint
from django.test.utils import CaptureQueriesContext

from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.save.bulk import patch
from tests.docs.test_docs import ROOT, table
from tests.factories import Person, account, content, currency
from tests.storing import place_change_sets

PAGE = ROOT / "docs" / "developers" / "sharding.md"
# Statements that only lay a temporary table with the columns of an element's.
_LAYING = "CREATE TEMPORARY TABLE"


def described(heading: str) -> dict[str, str]:
    """What the table below the heading says about each name in its first column."""
    return {name: second for first, second, *_ in table(PAGE, heading) for name in re.findall("`(.+?)`", first)}


def tables(kind: str) -> set[str]:
    return {name for name, found in described("Tables and shards").items() if found.startswith(kind)}


def models() -> dict[str, type[Model]]:
    """The models of all tables, by the table's name."""
    found = (model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy)
    return {model._meta.db_table: model for model in found}


def columns(model: type[Model]) -> list["Field[object, object]"]:
    return list(model._meta.concrete_fields)


def unique_keys(model: type[Model]) -> Iterator[tuple[str, ...]]:
    """The fields of the primary key, of each unique field, and of each unique constraint."""
    yield tuple(getattr(field, "name", "") for field in model._meta.pk_fields)
    yield from ((field.name,) for field in columns(model) if field.unique and not field.primary_key)
    yield from (tuple(key.fields) for key in model._meta.constraints if isinstance(key, UniqueConstraint))


def test_distributed_tables_have_the_repository_and_refer_to_each_other_or_to_reference_tables():
    """Except the one that gets it."""
    distributed = tables("distributed")
    without = set()
    for name in distributed:
        fields = {field.attname for field in columns(models()[name])}
        without |= set() if "repository_id" in fields else {name}
        for field in columns(models()[name]):
            if isinstance(field, ForeignKey):
                assert field.related_model._meta.db_table in distributed | tables("reference"), (name, field.name)
    assert without == {"account_calculationlogic"}


def test_every_table_of_elements_is_distributed():
    """With their history and what is generated from them: all tables of the apps of the dimensions."""
    of_dimensions = {name for name, model in models().items() if model._meta.app_label in ("account", "currency")}
    assert of_dimensions == tables("distributed") - {"changes_changeset", "changes_slot"}


def test_reference_tables_refer_to_reference_tables_only():
    for name in tables("reference"):
        for field in columns(models()[name]):
            assert not isinstance(field, ForeignKey) or field.related_model._meta.db_table in tables("reference")


def test_every_unique_key_has_the_repository_but_for_those_that_are_named():
    """The oid of currencies comes before it, on purpose (design/bulk.md)."""
    without: set[str] = set()
    others: set[str] = set()
    for name in tables("distributed"):
        for key in unique_keys(models()[name]):
            known = others if "repository" in key else without
            known.add(f"{name}.{', '.join(key)}")
    assert without == set(described("Unique keys"))
    assert others == {
        "account_account.repository, element_id",
        "currency_currency.repository, element_id",
        "currency_currency.oid, repository",
        "changes_changeset.repository, dimension, slot, number",
        "changes_slot.repository, dimension, slot",
    }


@pytest.fixture
def written(alice: Person) -> list[str]:
    """The statements that the database executed while elements were written by each route."""
    with CaptureQueriesContext(connection) as queries:
        for path, one in ((alice.account, account("A")), (alice.currency, currency("A"))):
            other = {**one, "id": "B"}
            bulks = (
                {"post": [other], "put": [{**one, "descriptions": {"en": "changed"}}]},
                {"patch": [patch("B", descriptions={"en": "changed"})]},
            )
            assert alice.send("POST", path(), one).status_code == 201
            assert alice.send("PUT", path("elements/A"), {**one, "descriptions": {"de": "x"}}).status_code == 200
            assert alice.send("PATCH", path("elements/A"), {"descriptions": {"de": "y"}}).status_code == 200
            for body in bulks:
                answer = alice.send("POST", path("elements-bulk"), body)
                assert answer.status_code == 200
                content(answer)
        for dimension in ("account", "currency"):
            start(alice, ["A", "B"], dimension)
        work_now()
        place_change_sets()
    return [query["sql"] for query in queries]


def of_elements(statement: str) -> bool:
    return any(re.search(rf'\b(FROM|INTO|UPDATE|JOIN) "?{name}\b', statement) for name in tables("distributed"))


def names_the_repository(statement: str) -> bool:
    """In a condition, or in rows that it inserts and does not take from elements."""
    head, _, source = statement.partition(" SELECT ")
    inserted = head.startswith("INSERT") and "repository_id" in head and not of_elements(source)
    return inserted or re.search(r'\brepository_id"? = ', statement) is not None


def shape(statement: str) -> str:
    """The word that begins the statement, and the first table of elements after it."""
    verb = statement.split(maxsplit=1)[0]
    found = re.search(rf'\b(?:FROM|INTO|UPDATE|JOIN) "?({"|".join(tables("distributed"))})\b', statement)
    assert found is not None, statement
    return f"{verb} {found[1]}"


@pytest.mark.contract("A6")
def test_every_query_that_reads_elements_names_the_repository(northwind: Repository, alice: Person):
    """By each of the routes that read them, in each form."""
    for path, one in ((alice.account, account("A")), (alice.currency, currency("A"))):
        assert alice.send("POST", path(), one).status_code == 201
        with CaptureQueriesContext(connection) as queries:
            for rest in (
                "elements",
                "elements?filter=descriptions.en=like=a,id==A&sort=-updateInfo.date&skip=0&take=1",
                "elements?skip=1&take=1",
                "elements/A",
                "elements/unknown",
                "elements-count?filter=id!=B",
                "elements-fetch?properties=id,descriptions.*",
            ):
                content(alice.get(path(rest), headers={"Prefer": "count=exact"}))
            content(alice.get(path(), headers={"Accept": "text/csv"}))
            content(alice.get(path(), headers={"Accept": "application/x-ndjson"}))
        asked = [query["sql"] for query in queries if of_elements(query["sql"])]
        assert len(asked) >= 8
        assert [statement for statement in asked if not names_the_repository(statement)] == []


def test_statements_that_write_name_the_repository_but_for_those_that_are_named(written: list[str]):
    """These name rows by their numbers, which were found in the repository before."""
    without = [sql for sql in written if of_elements(sql) and not names_the_repository(sql) and _LAYING not in sql]
    assert {shape(statement) for statement in without} == set(described("Queries"))
