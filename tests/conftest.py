"""Fixtures and settings of all tests: the database, fast passwords, the length of property tests, the scheduling."""

import gc
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any, cast

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as search
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from account.models import Account
from dimensions_site.repositories.models import Repository, Role
from tests.emptying import empty_quickly
from tests.factories import Person, account, add_person
from tests.services.citus import IS_CITUS, distributed_database
from tests.services.migrated import copy_file, template
from tests.storing import store_accounts, taken_back

# No deadline: a slow machine must not fail a test.
search.register_profile("short", max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples each time, so that a change is not blamed for an error that a random search finds elsewhere.
search.register_profile("ci", search.get_profile("short"), derandomize=True)
# For a thorough run: make test-sqlite ARGS="--hypothesis-profile=long -k name"
search.register_profile("long", search.get_profile("short"), max_examples=5_000)
search.load_profile("ci" if os.environ.get("CI") == "true" else "short")


STORIES = "tests/stories/"
# Files with few, long tests, whose tests are distributed among the processes.
SHARED = (
    "tests/dimensions_site/administration/site/test_walk_tenancy.py",
    "tests/dimensions_site/administration/site/test_accessibility.py",
    "tests/openapi/test_schemathesis.py",
)
# Tests of running services.
WAITING = (STORIES, "tests/live/", "tests/upgrade/")
# The files and folders that take longest, the longest first.
LONGEST = (
    "tests/live/postgresql/test_hosts.py",
    *SHARED,
    *(STORIES, "tests/live/", "tests/dimensions_site/administration/"),
)


def pytest_configure() -> None:
    # The default hasher deliberately takes a fifth of a second for each password.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Otherwise each client reads all static files before its first request.
    settings.WHITENOISE_AUTOREFRESH = True
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell ignores it for background jobs, and the programs that tests interrupt would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect garbage from now on, but not among what was loaded for the tests."""
    try:
        return (yield)
    finally:
        gc.freeze()
        # A tenth as often as by default: that saves processor time.
        gc.set_threshold(10 * gc.get_threshold()[0])
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def quickly_emptied(django_test_environment: None) -> None:
    """Empty databases quickly after tests with transactions of their own."""
    empty_quickly()


class FileScheduling(LoadScopeScheduling):
    """Assigns whole files to processes, SHARED files test by test, and all stories, which share a service, to one."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(STORIES):
            return STORIES
        return nodeid if nodeid.startswith(SHARED) else nodeid.partition("::")[0]

    def remove_node(self, node: WorkerController) -> str | None:
        """Report the test that ended its process, and do not run it again: xdist would, and lose each process."""
        files = self.assigned_work.get(node, {}).values()
        for file in files:
            for nodeid, completed in file.items():
                if not completed:
                    file[nodeid] = True
                    super().remove_node(node)
                    return nodeid
        return super().remove_node(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    return FileScheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no process is alone with one of them at the end.

    Those that mostly wait for services are spread evenly among the others, which use the processors meanwhile.
    """
    items.sort(key=lambda item: [not item.nodeid.startswith(place) for place in LONGEST])
    files = dict.fromkeys(item.nodeid.partition("::")[0] for item in items)
    waiting = [file for file in files if file.startswith(WAITING)]
    others = [file for file in files if not file.startswith(WAITING)]
    places = {file: position / len(kind) for kind in (waiting, others) for position, file in enumerate(kind)}
    items.sort(key=lambda item: places[item.nodeid.partition("::")[0]])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many calls the tests of the OpenAPI documents and of access made, and the statuses of the answers."""
    statuses: Counter[int] = Counter()
    cells = 0
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            properties = dict(report.user_properties)
            statuses.update(properties.get("openapi_calls", {}))
            cells += properties.get("access_cells", 0)
    if cells:
        terminalreporter.write_line(f"Access: {cells:,} calls were answered as the grants of their users allow")
    if statuses:
        answers = ", ".join(f"{count:,} x {status}" for status, count in sorted(statuses.items()))
        terminalreporter.write_line(f"OpenAPI documents: {statuses.total():,} calls answered ({answers})")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Begin with a copy of a migrated database, in SQLite in a file of its own for each process of the tests.

    Django's choice for SQLite, a database in memory, knows no WAL and no waiting for a lock, so threads would see
    errors there that no user ever sees.
    """
    if IS_CITUS:
        with distributed_database(cast(Any, connection.creation)._get_test_db_name()):
            yield
        return
    source = template(os.environ.get("DATABASE_URL", ""))
    if connection.vendor == "sqlite":
        file = tmp_path_factory.mktemp("database") / "test.sqlite3"
        copy_file(source, file)
        connection.settings_dict["TEST"]["NAME"] = str(file)
    else:
        connection.settings_dict["TEST"]["TEMPLATE"] = source
    yield


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Return whether Django uses the existing database: on SQLite that is the copy, on PostgreSQL it makes the copy."""
    return connection.vendor == "sqlite" or IS_CITUS


@pytest.fixture(scope="session")
def live_server(django_db_setup: None, live_server: LiveServer) -> LiveServer:
    """The server of the browser tests, made when the database is a file.

    With a database in memory all its threads would share one connection, which crashes SQLite.
    """
    return live_server


@pytest.fixture(scope="module")
def stored_once(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Elements that other fixtures store for all tests of a file; what a test changes of them is undone after it."""
    with django_db_blocker.unblock(), taken_back():
        yield


# --- People and tenants ------------------------------------------------------------


@pytest.fixture
def northwind(db: None) -> Repository:
    """The repository of the first tenant; its people are Alice, Rita and Ed."""
    return Repository.objects.create(db_id="northwind", name="Northwind group", default_language="en")


@pytest.fixture
def contoso(db: None) -> Repository:
    """The repository of the second tenant; its only person is Bob."""
    return Repository.objects.create(db_id="contoso", name="Contoso holding", default_language="de")


@pytest.fixture
def alice(northwind: Repository) -> Person:
    """Manager of everything in Northwind."""
    return add_person("alice", northwind, Role.MANAGER)


@pytest.fixture
def ed(northwind: Repository) -> Person:
    """Editor of everything in Northwind."""
    return add_person("ed", northwind, Role.EDITOR)


@pytest.fixture
def rita(northwind: Repository) -> Person:
    """Reader of everything in Northwind."""
    return add_person("rita", northwind, Role.READER)


@pytest.fixture
def bob(contoso: Repository) -> Person:
    """Manager of everything in Contoso, with no grant in Northwind."""
    return add_person("bob", contoso, Role.MANAGER)


@pytest.fixture
def cash(northwind: Repository) -> Account:
    """The account 1000 of Northwind."""
    store_accounts(northwind, account())
    return Account.objects.get()
