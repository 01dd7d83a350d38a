"""What every test stands on: the database, quick passwords, and how long property tests search."""

import os
from collections import Counter

import pytest
from django.conf import settings
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as search

from dimensions_site.repositories.models import Repository, Role
from tests.factories import Caller, caller

# A busy machine is no fault of the code: nothing here depends on the clock.
search.register_profile("short", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples each time, so that a change is not blamed for what a lucky search found elsewhere.
search.register_profile("ci", search.get_profile("short"), derandomize=True)
# For a night or a doubt: make test-sqlite ARGS="--hypothesis-profile=long -k name"
search.register_profile("long", search.get_profile("short"), max_examples=5_000)
search.load_profile("ci" if os.environ.get("CI") == "true" else "short")


def pytest_configure() -> None:
    # The default hasher spends a fifth of a second on each password, on purpose.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how many calls the tests of the OpenAPI documents made, and what was answered."""
    statuses: Counter[int] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            statuses.update(dict(report.user_properties).get("openapi_calls", {}))
    if statuses:
        answers = ", ".join(f"{count:,} x {status}" for status, count in sorted(statuses.items()))
        terminalreporter.write_line(f"OpenAPI documents: {statuses.total():,} calls answered ({answers})")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep the SQLite database of each test process in a file of its own.

    Django's choice, a database in memory, knows no WAL and no waiting for a lock, so threads would see
    errors there that no user ever sees.
    """
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


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
def alice(northwind: Repository) -> Caller:
    """Manager of everything in Northwind."""
    return caller("alice", northwind, Role.MANAGER)


@pytest.fixture
def ed(northwind: Repository) -> Caller:
    """Editor of everything in Northwind."""
    return caller("ed", northwind, Role.EDITOR)


@pytest.fixture
def rita(northwind: Repository) -> Caller:
    """Reader of everything in Northwind."""
    return caller("rita", northwind, Role.READER)


@pytest.fixture
def bob(contoso: Repository) -> Caller:
    """Manager of everything in Contoso, with no grant in Northwind."""
    return caller("bob", contoso, Role.MANAGER)
