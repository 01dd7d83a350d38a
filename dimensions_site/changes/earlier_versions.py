"""The migration of a dimension whose versions were written before there were change sets.

Versions of one user, origin and moment become one change set. All of them are in the first slot, in the order of their
moments.
"""

from collections.abc import Sequence
from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation

_REMOVED = ("history_date", "history_change_reason", "history_user", "history_actor", "history_origin")
_PLACE = ", ".join(["repository_id", "history_date", "history_actor", "history_origin"])


def own_versions(app: str, name: str) -> Sequence[Operation]:
    """Return the operations that turn the versions of the model `name`, such as `Currency`, into our own."""
    before, now = f"Historical{name}", f"{name}Version"
    lower = now.lower()

    def place(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        table: str = apps.get_model(app, now)._meta.db_table
        _place(editor, table, app)

    return [
        migrations.RenameModel(before, now),
        migrations.AlterModelOptions(now, options={"default_permissions": ()}),
        migrations.RemoveIndex(now, f"{name.lower()}_deletions"),
        migrations.RenameField(now, "history_id", "number"),
        migrations.RenameField(now, "history_type", "change"),
        migrations.AddField(now, "change_set", _change_set(null=True)),
        migrations.RunPython(place, migrations.RunPython.noop, elidable=True),
        *(migrations.RemoveField(now, field) for field in _REMOVED),
        migrations.AlterField(now, "change_set", _change_set(null=False)),
        migrations.AlterField(now, "number", models.BigAutoField(primary_key=True, serialize=False)),
        migrations.AlterField(now, "id", models.BigIntegerField()),
        migrations.AlterField(now, "repository", _repository()),
        migrations.AddIndex(
            now, models.Index(fields=["repository", "element_id", "number", "change_set"], name=f"{lower}_of_element")
        ),
        migrations.AddIndex(
            now,
            models.Index(
                fields=["repository", "element_id", "number"],
                condition=models.Q(("change", "-")),
                name=f"{lower}_deletions",
            ),
        ),
    ]


def _change_set(*, null: bool) -> Any:
    do_nothing = django.db.models.deletion.DO_NOTHING
    return models.ForeignKey(
        "changes.changeset", on_delete=do_nothing, related_name="+", db_constraint=False, null=null
    )


def _repository() -> Any:
    do_nothing = django.db.models.deletion.DO_NOTHING
    return models.ForeignKey(
        "repositories.repository", on_delete=do_nothing, related_name="+", db_constraint=False, db_index=False
    )


def _place(editor: BaseDatabaseSchemaEditor, table: str, dimension: str) -> None:
    """Give the versions in `table` their change sets."""
    new_id = "gen_random_uuid()" if editor.connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
    counts = ", ".join(f"count(CASE WHEN change = '{kind}' THEN 1 END)" for kind in "+~-")
    with editor.connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO changes_changeset (id, repository_id, dimension, slot, number, committed_at, "
            '"user", channel, created, changed, deleted) '
            f"SELECT {new_id}, repository_id, %s, 0, "
            "row_number() OVER (PARTITION BY repository_id ORDER BY history_date, min(number)), history_date, "
            f"history_actor, CASE history_origin WHEN 'IMPORT' THEN 'IMPORT' ELSE 'REST' END, {counts} "
            f"FROM {table} GROUP BY {_PLACE}",
            [dimension],
        )
        cursor.execute(
            f"UPDATE {table} SET change_set_id = (SELECT placed.id FROM changes_changeset AS placed "
            f"WHERE placed.repository_id = {table}.repository_id AND placed.dimension = %s "
            f'AND placed.committed_at = {table}.history_date AND placed."user" = {table}.history_actor '
            f"AND (placed.channel = 'IMPORT') = ({table}.history_origin = 'IMPORT'))",
            [dimension],
        )
        cursor.execute(
            "INSERT INTO changes_slot (repository_id, dimension, slot, number, last, committed_at, horizon) "
            "SELECT placed.repository_id, placed.dimension, 0, placed.number, placed.id, placed.committed_at, 0 "
            "FROM changes_changeset AS placed JOIN (SELECT repository_id, max(number) AS number "
            "FROM changes_changeset WHERE dimension = %s GROUP BY repository_id) AS latest "
            "ON latest.repository_id = placed.repository_id AND latest.number = placed.number "
            "WHERE placed.dimension = %s",
            [dimension, dimension],
        )
