"""Each release's migrations let the release before go on working (contract P3)."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.apps import apps
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from dimensions_site.db.unusable import RELEASE
from tests.dimensions_site.db.migration_rules import Release, all_complaints, release_of
from tests.services.service import PROJECT

pytestmark = pytest.mark.contract("P3")
# What release 1 has beside the initial migrations: they are parts of these, and no table had a row before.
OF_THE_FIRST = {("saved_views", "0002_known_repositories"), ("tokens", "0002_oauth2_provider")}
TEXT = models.CharField(max_length=10)


def stored() -> ProjectState:
    """Return the tables of the release before: `shop_item` with the columns `name`, and `note`, which may be null."""
    state = ProjectState()
    fields: list[tuple[str, models.Field[Any, Any]]] = [
        ("id", models.AutoField(primary_key=True)),
        ("name", TEXT),
        ("note", models.TextField(null=True)),
    ]
    migrations.CreateModel("Item", fields).state_forwards("shop", state)
    return state


def complaints(operations: Sequence[Operation], release: Release | None = None) -> list[str]:
    """Return what is wrong when release 3 has these operations."""
    return list((release or Release(3)).complaints("shop", operations, stored()))


@pytest.fixture
def loader() -> MigrationLoader:
    """Return all migrations, without a database."""
    return MigrationLoader(None)


def own_apps() -> set[str]:
    """Return the labels of the apps of this project."""
    return {app.label for app in apps.get_app_configs() if str(PROJECT) in app.path and ".venv" not in app.path}


def test_no_migration_narrows_what_the_release_before_uses(loader: MigrationLoader):
    assert all_complaints(loader, own_apps()) == []


def test_every_migration_but_the_first_ones_names_its_release(loader: MigrationLoader):
    """By depending on the number of the release, `("releases", "0002_release")`; so its rules are known."""
    later = {node: migration for node, migration in loader.disk_migrations.items() if node[0] in own_apps()}
    nameless = [
        node
        for node, migration in later.items()
        if not migration.initial and node not in OF_THE_FIRST and release_of(loader.graph, node) == 1
    ]
    assert nameless == []


def test_the_release_is_the_number_of_its_last_migration(loader: MigrationLoader):
    """Readiness compares `RELEASE` with the numbers that the database has."""
    assert max(int(name[:4]) for app, name in loader.disk_migrations if app == "releases") == RELEASE


UNIQUE = models.UniqueConstraint(fields=["name"], name="one_name")
INDEX = models.Index(fields=["name"], name="names")


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (migrations.RenameField("item", "name", "title"), "uses what it changes"),
        (migrations.RenameModel("Item", "Good"), "uses what it changes"),
        (migrations.AlterModelTable("item", "goods"), "uses what it changes"),
        (migrations.RemoveField("item", "note"), "uses what it changes"),
        (migrations.DeleteModel("Item"), "uses what it changes"),
        (migrations.AddConstraint("item", UNIQUE), "uses what it changes"),
        (migrations.AlterUniqueTogether("item", {("name", "note")}), "uses what it changes"),
        (migrations.AddIndex("item", INDEX), "or waits for it"),
        (migrations.AddField("item", "size", models.IntegerField(default=0)), "inserts rows without it"),
        (migrations.AlterField("item", "note", models.TextField(default="")), "null narrows it"),
        (migrations.AlterField("item", "name", models.CharField(max_length=5)), "max_length narrows it"),
        (migrations.AlterField("item", "name", models.CharField(max_length=10, unique=True)), "unique narrows it"),
        (migrations.AlterField("item", "name", models.IntegerField()), "its kind narrows it"),
        (migrations.RunSQL("ALTER TABLE shop_item RENAME COLUMN name TO title"), "it narrows"),
        (migrations.RunSQL("ALTER TABLE shop_item ALTER name SET NOT NULL"), "it narrows"),
        (migrations.RunSQL("CREATE INDEX names ON shop_item (name)"), "locks a table"),
        (migrations.RunSQL("ALTER TABLE shop_item DROP COLUMN note"), "still uses it"),
        (migrations.RunSQL("DROP TABLE shop_item"), "still uses it"),
        (
            migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("item", "name")]),
            "this release inserts rows without it",
        ),
        (
            migrations.SeparateDatabaseAndState(database_operations=[migrations.RemoveField("item", "note")]),
            "uses what it changes",
        ),
    ],
    ids=repr,
)
def test_what_narrows_is_refused(operation: Operation, reason: str):
    """Each of them would fail a call of the release before, or have it wait."""
    (found,) = complaints([operation])
    assert reason in found


WIDENS = {
    "a table": migrations.CreateModel("Shelf", [("id", models.AutoField(primary_key=True))]),
    "a column that may be null": migrations.AddField("item", "size", models.IntegerField(null=True)),
    "a column that the database fills": migrations.AddField("item", "size", models.IntegerField(db_default=0)),
    "a longer text": migrations.AlterField("item", "name", models.CharField(max_length=20)),
    "a column that may be null now": migrations.AlterField("item", "name", models.CharField(max_length=10, null=True)),
    "other words": migrations.AlterField(
        "item", "name", models.CharField("title", max_length=10, help_text="Its name.")
    ),
    "an index that nobody waits for": migrations.RunSQL("CREATE INDEX CONCURRENTLY names ON shop_item (name)"),
    "other values": migrations.RunSQL("UPDATE shop_item SET note = '' WHERE note IS NULL"),
    "other values by Python": migrations.RunPython(migrations.RunPython.noop),
    "what is used no longer": migrations.SeparateDatabaseAndState(
        state_operations=[migrations.RemoveField("item", "note")]
    ),
}


@pytest.mark.parametrize("operation", WIDENS.values(), ids=WIDENS)
def test_what_widens_is_taken(operation: Operation):
    assert complaints([operation]) == []


def test_a_column_goes_one_release_after_the_code_has_stopped_to_use_it():
    """Not in the same release, whose update the release before survives."""
    leave = migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("item", "note")])
    drop = migrations.RunSQL("ALTER TABLE shop_item DROP COLUMN note")
    assert len(complaints([leave, drop])) == 1
    second = Release(2)
    assert complaints([leave], second) == []
    assert complaints([drop], Release(3, second.unused)) == []


def test_a_table_of_the_same_release_may_change():
    """No release before knows it."""
    shelf = migrations.CreateModel("Shelf", [("id", models.AutoField(primary_key=True)), ("name", TEXT)])
    assert complaints([shelf, migrations.AddIndex("shelf", INDEX), migrations.RemoveField("shelf", "name")]) == []
