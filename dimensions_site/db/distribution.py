"""Distribute the tables of models by repository with Citus, and undo it (contract P1; developers/sharding.md).

Each unique key of a distributed table has the repository. So the primary key becomes the key and the repository, which
Django needs not know. Numbers come from a sequence of the coordinator, which Citus cannot take back from an identity
column. Each direction is one transaction.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import ForeignKey, Model

from dimensions_site.db.shards import is_sharded

_COLUMN = "repository_id"


class NotDistributable(Exception):
    """The tables cannot be distributed, or taken back; nothing was changed. Its text says why."""


def distributed_tables(models: Iterable[type[Model]]) -> list[str]:
    """Return the names of the tables of the `models` that are distributed. Raises `NotDistributable` without Citus."""
    if connection.vendor != "postgresql":
        raise NotDistributable("Only PostgreSQL can distribute tables; DATABASE_URL names SQLite.")
    if not is_sharded():
        raise NotDistributable(
            "The database does not have the extension citus. Create it here and on the workers, and add these with "
            "citus_add_node."
        )
    names = [model._meta.db_table for model in models]
    return _column("SELECT logicalrelid::text FROM pg_dist_partition WHERE logicalrelid::text = ANY(%s)", names)


def distribute(models: Sequence[type[Model]], report: Callable[[str], object]) -> None:
    """Distribute the tables of the `models`, the first of which decides where the others are.

    `report` receives a sentence for each step. Raises `NotDistributable`.
    """
    found = distributed_tables(models)
    if len(found) == len(models):
        report("The tables are distributed already.")
        return
    if found:
        raise NotDistributable(
            f"Of the {len(models)} tables only {', '.join(sorted(found))} are distributed. Run distribute --undo first."
        )
    _check_schema()
    if not _column("SELECT nodeid FROM pg_dist_node WHERE isactive AND shouldhaveshards"):
        raise NotDistributable("No node of the cluster may hold shards. Add one with citus_add_node.")
    _check_others(models)
    first = models[0]._meta.db_table
    with _all_or_nothing(models):
        for model in models:
            _drop_references(model)
        for model in models:
            table = model._meta.db_table
            _number(model, by_identity=False)
            # At its end: with the repository first it would be an index to read all of that one.
            _set_primary_key(model, [_COLUMN])
            near = "none" if table == first else first
            _execute("SELECT create_distributed_table(%s, %s, colocate_with => %s)", table, _COLUMN, near)
            report(f"{table} is distributed by {_COLUMN}.")
        for model in models:
            _add_references(model, [_COLUMN], set(models))
    # What is left of the rows on the coordinator.
    for model in models:
        _execute("SELECT truncate_local_data_after_distributing_table(%s)", model._meta.db_table)


def undistribute(models: Sequence[type[Model]], report: Callable[[str], object]) -> None:
    """Take all rows back to the coordinator, as `migrate` has made the tables. Otherwise as `distribute`."""
    found = distributed_tables(models)
    if not found:
        report("No table is distributed.")
        return
    _check_schema()
    _check_others(models)
    with _all_or_nothing(models):
        for model in models:
            _drop_references(model)
        for model in models:
            table = model._meta.db_table
            if table in found:
                _execute("SELECT undistribute_table(%s)", table)
                _set_primary_key(model, [])
                _number(model, by_identity=True)
                report(f"{table} is on the coordinator.")
        for model in models:
            _add_references(model, [], None)


# --- Refusals -----------------------------------------------------------------


def _check_schema() -> None:
    loader = MigrationExecutor(connection).loader
    known, applied = set(loader.disk_migrations or {}), set(loader.applied_migrations or {})
    if missing := set(loader.graph.nodes) - applied:
        app, name = min(missing)
        raise NotDistributable(f"The database is of an earlier release, without {app}.{name}. Run migrate first.")
    apps = {app for app, _ in known}
    if newer := {(app, name) for app, name in applied - known if app in apps}:
        app, name = min(newer)
        raise NotDistributable(f"The database is of a newer release, with {app}.{name}. Use that release.")


def _check_others(models: Sequence[type[Model]]) -> None:
    """Refuse what others have added to the tables and Citus would lose or reject."""
    names = [model._meta.db_table for model in models]
    for sentence, query in _OF_OTHERS.items():
        if found := _rows(query, names, names):
            raise NotDistributable(
                f"The tables have something that the service did not make: {sentence.format(*found[0])}. Remove it, "
                "and add it again afterwards if Citus can."
            )


# By the sentence about what is found; the parameters are the names of the tables, twice.
_OF_OTHERS = {
    "the foreign key {0} refers to {1}": (
        "SELECT conname, confrelid::regclass FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 "
        "AND confrelid::regclass::text = ANY(%s) AND NOT conrelid::regclass::text = ANY(%s)"
    ),
    "the trigger {0} is on {1}": (
        "SELECT tgname, tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal "
        "AND tgrelid::regclass::text = ANY(%s) AND tgrelid::regclass::text = ANY(%s)"
    ),
    "the view {0} reads {1}": (
        "SELECT DISTINCT rule.ev_class::regclass, used.refobjid::regclass FROM pg_depend AS used "
        "JOIN pg_rewrite AS rule ON rule.oid = used.objid AND used.classid = 'pg_rewrite'::regclass "
        "WHERE used.refobjid::regclass::text = ANY(%s) AND used.refobjid::regclass::text = ANY(%s)"
    ),
}


# --- Steps, on one table each --------------------------------------------------


@contextmanager
def _all_or_nothing(models: Sequence[type[Model]]) -> Iterator[None]:
    """Run the block in a transaction that is alone with the tables. Raises `NotDistributable` with what failed."""
    try:
        with transaction.atomic():
            _execute("SET LOCAL lock_timeout = 0")
            _execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
            _execute("SET LOCAL client_min_messages = 'warning'")
            _execute(f"LOCK TABLE {', '.join(map(_quoted, models))} IN ACCESS EXCLUSIVE MODE")
            yield
    except DatabaseError as error:
        raise NotDistributable(f"Citus refuses: {str(error).strip()} Nothing was changed.") from error


def _drop_references(model: type[Model]) -> None:
    query = "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass"
    for name in _column(query, _quoted(model)):
        _execute(f"ALTER TABLE {_quoted(model)} DROP CONSTRAINT {_quote(name)}")


def _add_references(model: type[Model], first: Sequence[str], among: Container[type[Model]] | None) -> None:
    """Add the foreign keys that the `model` declares, with the column `first` before each; those to models `among`."""
    fields: Sequence[Any] = [field for field in model._meta.local_fields if isinstance(field, ForeignKey)]
    for field in fields:
        other = field.related_model
        if not field.db_constraint or (among is not None and other not in among):
            continue
        editor: Any = connection.schema_editor()
        # Django's own name, by which migrations find it.
        named = editor._fk_constraint_name(model, field, "_fk_%(to_table)s_%(to_column)s")
        own, referred = (", ".join(map(_quote, [*first, name])) for name in (field.column, other._meta.pk.column))
        _execute(
            f"ALTER TABLE {_quoted(model)} ADD CONSTRAINT {named} FOREIGN KEY ({own}) "
            f"REFERENCES {_quoted(other)} ({referred}) DEFERRABLE INITIALLY DEFERRED"
        )


def _set_primary_key(model: type[Model], last: Sequence[str]) -> None:
    """Make the columns that Django declares, and those in `last`, the primary key of the table."""
    columns = [str(field.column) for field in model._meta.pk_fields]
    columns += [name for name in last if name not in columns]
    [name] = _column(
        "SELECT conname FROM pg_constraint WHERE contype = 'p' AND conrelid = %s::regclass", _quoted(model)
    )
    _execute(
        f"ALTER TABLE {_quoted(model)} DROP CONSTRAINT {_quote(name)}, "
        f"ADD CONSTRAINT {_quote(name)} PRIMARY KEY ({', '.join(map(_quote, columns))})"
    )


def _number(model: type[Model], *, by_identity: bool) -> None:
    """Let the numbers of an identity column come from a sequence of that name, or make it an identity column again."""
    for column, sequence in _sequences(model, is_identity=not by_identity):
        [(last, _, is_called)] = _rows(f"TABLE {sequence}")
        alter = f"ALTER TABLE {_quoted(model)} ALTER {_quote(column)}"
        if by_identity:
            _execute(f"{alter} DROP DEFAULT")
            _execute(f"DROP SEQUENCE {sequence}")
            _execute(f"{alter} ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME {sequence})")
        else:
            _execute(f"{alter} DROP IDENTITY")
            _execute(f"CREATE SEQUENCE {sequence} OWNED BY {_quoted(model)}.{_quote(column)}")
            _execute(f"{alter} SET DEFAULT nextval('{sequence}')")
        _execute("SELECT setval(%s, %s, %s)", sequence, last, is_called)


def _sequences(model: type[Model], *, is_identity: bool) -> list[Any]:
    """Return the columns that draw numbers from a sequence, with its name."""
    query = (
        "SELECT attname, pg_get_serial_sequence(attrelid::regclass::text, attname) AS sequence FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND (attidentity <> '') = %s"
    )
    return [row for row in _rows(query, _quoted(model), is_identity) if row[1] is not None]


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)


def _quoted(model: type[Model]) -> str:
    return _quote(model._meta.db_table)


def _execute(sql: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)


def _rows(query: str, *parameters: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters or None)
        return list(cursor.fetchall())


def _column(query: str, *parameters: Any) -> list[Any]:
    return [value for (value,) in _rows(query, *parameters)]
