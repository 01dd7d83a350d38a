"""The rings of the tests, and what a second database repeats.

`--ring=rules` runs the short tests, one story in a browser and one running service; `--ring=services` runs all others;
`--ring=quick` is for daily work. `--branching` runs only what depends on the database: a run on SQLite beside one on
PostgreSQL needs no more.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as search

# These start the service, its worker, clients, browsers or servers of their own, or measure what attacks cost.
SERVICES = (
    "tests/bulkops/command_line/test_export_processes.py",
    "tests/bulkops/command_line/test_import_commands.py",
    "tests/bulkops/files/formats/test_format_memory.py",
    "tests/bulkops/files/test_export_memory.py",
    "tests/containers/",
    "tests/dimensions_site/administration/site/test_walk_tenancy.py",
    "tests/docs/test_docs_calls.py",
    "tests/docs/test_docs_client.py",
    "tests/live/",
    "tests/load/",
    "tests/openapi/test_schemathesis.py",
    "tests/security/test_attacks_files.py",
    "tests/security/test_attacks_hopeless_bodies.py",
    "tests/security/test_attacks_sizes.py",
    "tests/security/test_attacks_slow_patterns.py",
    "tests/stories/",
    "tests/test_third_dimension.py",
    "tests/upgrade/",
)
# The running service and the story that the ring of rules has, too.
SAMPLES = ("tests/live/test_requests.py", "tests/stories/test_two_repositories.py")
_BROWSER = {"browser", "visit"}
# Each file with tests in a browser imports it; to load all others takes each process ten seconds.
_DRIVER = "playwright"

# Modules with a branch for one of the databases, and the tests of that branch, which run on both.
BRANCHES: dict[str, tuple[str, ...]] = {
    "bulkops/jobs/refusals.py": ("tests/bulkops/jobs/test_deletion_references.py",),
    "bulkops/plans/planning.py": ("tests/bulkops/plans/",),
    "bulkops/plans/scopes.py": ("tests/bulkops/plans/test_plan_scopes.py",),
    "bulkops/worker/cluster.py": ("tests/dimensions_site/repositories/test_access_changes.py",),
    "bulkops/session/databases.py": (
        "tests/bulkops/files/imports/",
        "tests/bulkops/save/",
        "tests/bulkops/session/",
        "tests/live/test_bulk_crashes.py",
        "tests/live/test_bulk_races.py",
    ),
    "bulkops/session/writer.py": ("tests/bulkops/session/",),
    "dimensions_site/api/lists.py": ("tests/dimensions_site/elements/reading/test_paging.py",),
    "dimensions_site/changes/placing.py": (
        "tests/dimensions_site/changes/",
        "tests/dimensions_site/elements/history/",
        "tests/live/test_follower.py",
    ),
    "dimensions_site/changes/states.py": ("tests/dimensions_site/elements/history/",),
    "dimensions_site/db/among.py": ("tests/bulkops/command_line/test_clean_old_history.py",),
    "dimensions_site/db/distribution.py": ("tests/bulkops/command_line/test_distribute.py",),
    "dimensions_site/db/transactions.py": (
        "tests/dimensions_site/repositories/test_last_use.py",
        "tests/live/test_key_races.py",
        "tests/live/test_races.py",
    ),
    "dimensions_site/db/postgresql/streaming.py": (
        "tests/dimensions_site/elements/reading/test_row_streaming.py",
        "tests/dimensions_site/elements/reading/test_streamed_lists.py",
        "tests/live/test_flat_memory.py",
    ),
    "dimensions_site/db/read_limits.py": ("tests/dimensions_site/db/", "tests/live/test_long_reads.py"),
    "dimensions_site/db/shards.py": ("tests/bulkops/command_line/test_distribute.py",),
    "dimensions_site/db/sqlite/base.py": (
        "tests/dimensions_site/db/",
        "tests/dimensions_site/test_environment.py",
        "tests/live/test_first_reads.py",
    ),
    "dimensions_site/db/unusable.py": (
        "tests/dimensions_site/db/test_read_only_database.py",
        "tests/live/test_faults.py",
        "tests/live/test_unusable_databases.py",
    ),
    "dimensions_site/elements/declaration/indexes.py": ("tests/dimensions_site/elements/reading/",),
    "dimensions_site/elements/history/comparing.py": ("tests/dimensions_site/elements/history/test_compare.py",),
    "dimensions_site/elements/history/verifying.py": ("tests/bulkops/command_line/test_verify_repositories.py",),
    "dimensions_site/elements/reading/descriptions.py": ("tests/dimensions_site/elements/reading/",),
    "dimensions_site/elements/reading/lookup.py": ("tests/dimensions_site/elements/reading/test_lookup.py",),
    "dimensions_site/elements/reading/tables.py": ("tests/dimensions_site/elements/reading/test_tables.py",),
    "dimensions_site/elements/reading/uses.py": ("tests/dimensions_site/elements/reading/",),
    "dimensions_site/elements/writing/locking.py": (
        "tests/bulkops/jobs/",
        "tests/dimensions_site/elements/writing/",
        "tests/live/test_deletion_chaos.py",
        "tests/live/test_plan_races.py",
        "tests/live/test_worker_stop.py",
    ),
    "dimensions_site/elements/writing/saving.py": ("tests/dimensions_site/elements/writing/",),
    "dimensions_site/idempotency/locks.py": ("tests/dimensions_site/idempotency/", "tests/live/test_key_crashes.py"),
    "dimensions_site/repositories/management/commands/backup_sqlite.py": (
        "tests/dimensions_site/db/test_backup_sqlite.py",
        "tests/live/test_backups.py",
    ),
    "dimensions_site/rsql/apps.py": ("tests/dimensions_site/rsql/",),
    "dimensions_site/rsql/fields.py": ("tests/dimensions_site/rsql/",),
    "dimensions_site/rsql/conditions.py": ("tests/dimensions_site/rsql/",),
}
_BRANCHING = tuple({place for tests in BRANCHES.values() for place in tests})
# A test with one of these fixtures has a database.
_DATABASE = {"db", "transactional_db", "django_db_setup", "sample_table"}
# What daily work leaves out of the ring of rules: pages, files, commands, tokens and logs.
SLOW = (
    "tests/dimensions_site/administration/",
    "tests/bulkops/command_line/",
    "tests/bulkops/files/",
    "tests/dimensions_site/elements/reading/test_query_plans.py",
    "tests/dimensions_site/observability/",
    "tests/dimensions_site/tokens/",
    "tests/security/",
    *SAMPLES,
)

search.register_profile(
    "quick", max_examples=3, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("selection")
    group.addoption("--ring", choices=sorted(RINGS), help="run the short tests, those of processes, or daily work's")
    group.addoption("--branching", action="store_true", help="run what depends on the database")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--ring") == "quick":
        search.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files unread of which the run has nothing."""
    if collection_path.is_dir():
        return None
    file = collection_path.relative_to(config.rootpath).as_posix()
    ring = config.getoption("--ring")
    is_left_out = (
        (ring == "quick" and file.startswith((*SERVICES, *SLOW)))
        or (ring == "rules" and file.startswith(SERVICES) and not file.startswith(SAMPLES))
        or (ring == "services" and not file.startswith(SERVICES) and not has_browser(collection_path))
        or (config.getoption("--branching") and not file.startswith(_BRANCHING))
    )
    return True if is_left_out else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rules: list[Callable[[pytest.Item], bool]] = []
    if ring := config.getoption("--ring"):
        rules.append(RINGS[ring])
    if config.getoption("--branching"):
        rules.append(depends_on_the_database)
    if left := [item for item in items if not all(holds(item) for holds in rules)]:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if all(holds(item) for holds in rules)]


def has_browser(file: Path) -> bool:
    """Return whether the file may have tests in a browser."""
    return file.name.startswith("test_") and _DRIVER in file.read_text(encoding="utf-8")


def is_of_services(item: pytest.Item) -> bool:
    """Return whether the test needs processes: a service, a browser, a client."""
    if item.nodeid.startswith(SAMPLES):
        return False
    return item.nodeid.startswith(SERVICES) or bool(_BROWSER & _fixtures(item))


def is_quick(item: pytest.Item) -> bool:
    """Return whether the test is for daily work: it needs no process, commits nothing, and takes no seconds."""
    is_slow = is_of_services(item) or item.nodeid.startswith(SLOW)
    return not is_slow and not _fixtures(item) & {"live_server", "transactional_db"}


def depends_on_the_database(item: pytest.Item) -> bool:
    """Return whether the test passes through code that branches by database."""
    if not item.nodeid.startswith(_BRANCHING):
        return False
    has_database = bool(_DATABASE & _fixtures(item)) or item.get_closest_marker("django_db") is not None
    return has_database or is_of_services(item)


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


RINGS: dict[str, Callable[[pytest.Item], bool]] = {
    "quick": is_quick,
    "rules": lambda item: not is_of_services(item),
    "services": is_of_services,
}
