"""Which migrations the database lacks: its tables are those of another release then, or there are none."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def missing_migrations() -> list[str]:
    """Their names like `account.0001_initial`, as `migrate` would apply them. Raises DatabaseError, InterfaceError."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
