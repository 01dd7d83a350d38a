"""What docs/developers/sharding.md says about tables, keys and queries for shards by repository is true."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.models import Field, ForeignKey, Model, UniqueConstraint
from django.test.utils import CaptureQueriesContext

from bulkops.management.commands.distribute import distributed_models
from dimensions_site.db.shards import ForeignKeyInShard
from dimensions_site.repositories.models import Repository
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.plans.plans import applied, make
from tests.bulkops.save.bulk import patch
from tests.docs.test_docs import ROOT, table
from tests.factories import Person, account, content, currency
from tests.storing import place_change_sets

PAGE = ROOT / "docs" / "developers" / "sharding.md"
# It lays a temporary table with the columns of an element's, and reads no row.
_LAYING = "WHERE 1 = 0"


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


def test_distributed_tables_have_the_repository():
    for name in tables("distributed"):
        assert "repository_id" in {field.attname for field in columns(models()[name])}, name


def test_the_command_distributes_the_tables_that_the_page_names():
    assert {model._meta.db_table for model in distributed_models()} == tables("distributed")


def test_distributed_tables_refer_to_each_other_and_to_the_repository_alone():
    """By keys whose joins name the repository: the row that they refer to is in the same shard."""
    for name in tables("distributed"):
        for field in columns(models()[name]):
            if isinstance(field, ForeignKey) and field.name != "repository":
                assert isinstance(field, ForeignKeyInShard), (name, field.name)
                assert field.related_model._meta.db_table in tables("distributed")


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
        "account_calculationlogic.account, name, repository",
        "changes_changeset.repository, dimension, slot, number",
        "changes_slot.repository, dimension, slot",
    }


@pytest.fixture
def in_citus(db: None) -> Iterator[None]:
    """The statements that a database with the extension gets; PostgreSQL alone executes them as well."""
    made: Any = connection
    connection.ensure_connection()
    if connection.vendor != "postgresql":
        pytest.skip("Only PostgreSQL has shards.")
    before, made.has_citus = made.has_citus, True
    _compose_again()
    yield
    made.has_citus = before
    _compose_again()


def _compose_again() -> None:
    """Let everything that was composed once be composed again."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("account", "bulkops", "currency", "dimensions_site"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements about elements that the database executes in the block."""
    found: list[str] = []
    with CaptureQueriesContext(connection) as queries:
        yield found
    found += (query["sql"] for query in queries if of_elements(query["sql"]))


def of_elements(statement: str) -> bool:
    return _LAYING not in statement and bool(list(_uses(statement)))


def _uses(statement: str) -> Iterator[tuple[str, str]]:
    """Yield each distributed table that the statement reads or changes, and the name that it has there."""
    names = "|".join(sorted(tables("distributed")))
    keywords = "AS|WHERE|ON|SET|JOIN|INNER|LEFT|CROSS|ORDER|GROUP|LIMIT|UNION|EXCEPT|RETURNING|USING|FOR"
    found = rf'\b(FROM|INTO|UPDATE|JOIN) "?({names})\b"?(?: (?:AS )?"?(?!(?:{keywords})\b)(\w+)"?)?'
    common = set(re.findall(r'(?:WITH|,) "?(\w+)"? AS (?:MATERIALIZED )?\(', statement))
    for verb, table_name, alias in re.findall(found, statement):
        if table_name not in common or verb in ("INTO", "UPDATE"):
            yield verb, alias or table_name


def lacking(statement: str) -> list[str]:
    """The tables in the statement whose repository it does not name as a constant.

    Rows that are inserted have the column. A joined table may name that of another one.
    """
    flat = statement.replace('"', "")
    value = r"\(?(\d+|\w+\.repository_id)\b"
    return [
        name
        for verb, name in _uses(statement)
        if not (
            (verb == "INTO" and "repository_id" in flat.split(f"INTO {name}")[1].partition(")")[0])
            or re.search(rf"\b{name}\.repository_id = {value}", flat)
            or re.search(rf"\b{name} WHERE repository_id = {value}", flat)
        )
    ]


@pytest.mark.contract("A6", "P1")
def test_every_statement_that_reads_elements_names_the_repository(in_citus, northwind: Repository, alice: Person):
    """By each of the routes that read them, in each form."""
    for dimension, one in (("account", account("A")), ("currency", currency("A"))):
        path = partial(alice.elements, dimension)
        token = alice.get(path()).headers["Sync-Token"]
        assert alice.send("POST", path(), one).status_code == 201
        place_change_sets()
        with statements() as asked:
            for rest in (
                "elements",
                "elements?filter=descriptions.en=like=a,id==A&sort=-updateInfo.date&skip=0&take=1",
                "elements?skip=1&take=1",
                "elements?unused=true",
                f"elements?asOf={token}&skip=1&take=1",
                "elements/A",
                "elements/unknown",
                "elements-count?filter=id!=B",
                "elements-fetch?properties=id,descriptions.*",
                "elements-versions?id=A",
                f"elements-changes?since={token}",
                f"elements-compare?from={token}",
                "elements-changesets",
            ):
                content(alice.get(path(rest), headers={"Prefer": "count=exact"}))
            content(alice.get(path(), headers={"Accept": "text/csv"}))
            content(alice.get(path(), headers={"Accept": "application/x-ndjson"}))
        assert len(asked) >= 15
        assert {(name, statement) for statement in asked for name in lacking(statement)} == set()


@pytest.mark.contract("P1")
def test_every_statement_that_writes_elements_names_the_repository(in_citus, northwind: Repository, alice: Person):
    """Of single elements, bulk saves, deletions, plans, and of what is generated or cleaned."""
    with statements() as asked:
        for dimension, one in (("account", account("A")), ("currency", currency("A"))):
            path = partial(alice.elements, dimension)
            first = {**one, "rules": {"grossAmountEqualICSum": True}} if dimension == "account" else one
            assert alice.send("POST", path(), first).status_code == 201
            assert alice.send("PUT", path("elements/A"), {**one, "descriptions": {"de": "x"}}).status_code == 200
            assert alice.send("PATCH", path("elements/A"), {"descriptions": {"de": "y"}}).status_code == 200
            for body in (
                {"post": [{**one, "id": "B"}], "put": [{**one, "descriptions": {"en": "changed"}}]},
                {"patch": [patch("B", descriptions={"en": "changed"})], "saveMode": "STRICT"},
                {"merge": [{**one, "id": "C"}, {"id": "B", "descriptions": {"fr": "z"}}]},
            ):
                answer = alice.send("POST", path("elements-bulk"), body)
                assert answer.status_code == 200, content(answer)
                content(answer)
            plan = make(
                alice,
                dimension,
                bulk={"put": [{**one, "id": "D"}], "delete": [{"id": "C"}]},
                scope="id!=Z",
                maxDelete=1,
            )
            assert plan["status"] == "READY", plan
            applied(alice, dimension, plan)
            start(alice, ["A", "B"], dimension, query="?references=refuse")
        work_now()
        place_change_sets()
        call_command("clean_old_history", "--days", "1")
    assert len(asked) >= 60
    assert {(name, statement) for statement in asked for name in lacking(statement)} == set()
