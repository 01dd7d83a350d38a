"""One running service for all live tests, on the kind of database that the suite runs with."""

import os
from collections.abc import Iterator

import pytest

from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.service import Service, serving
from tests.services.worker import QUICK


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a database with the repository `northwind`, and an API key for it."""
    with migrated_database(tmp_path_factory.mktemp("live database"), os.environ.get("DATABASE_URL", "")) as url:
        yield url, prepare(url)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The same, of a database to which no other file of tests is connected, and in which none has stored elements."""
    with migrated_database(tmp_path_factory.mktemp("untouched"), os.environ.get("DATABASE_URL", "")) as url:
        yield url, prepare(url)


@pytest.fixture(scope="session")
def service(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Gunicorn, as many processes and threads as it has by default, with a home in which nothing is but its log."""
    home = tmp_path_factory.mktemp("live")
    with serving(*prepared, home, HOME=str(home), XDG_RUNTIME_DIR=str(home)) as running:
        yield running


@pytest.fixture(scope="session")
def patient(prepared: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with slow deletions: each element is a separate chunk."""
    with serving(*prepared, tmp_path_factory.mktemp("patient"), DELETION_CHUNK_SIZE="1", **QUICK) as running:
        yield running
