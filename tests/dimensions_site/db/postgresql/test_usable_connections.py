"""A persistent connection is checked before the first query of a request."""

import os
import resource
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from tests.services.worker import wait_until

# Descriptors of a process from this number on are too large for `select`.
_LARGE = 1_024


@pytest.fixture
def many_files() -> Iterator[None]:
    """The process has as many files open as one with a thousand clients."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(2 * _LARGE, allowed[0]), allowed[1]))
    connection.close()  # or its number would be the next one's
    with ExitStack() as opened:
        for _ in range(_LARGE):
            opened.enter_context(Path(os.devnull).open())
        yield
    connection.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, allowed)


@pytest.mark.django_db(transaction=True)
def test_a_connection_with_a_large_number_is_usable(many_files: None):
    connection.ensure_connection()
    assert connection.connection.fileno() >= _LARGE
    assert connection.is_usable()


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_database_has_ended_is_not():
    connection.ensure_connection()
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    wait_until(lambda: not connection.is_usable(), "The connection still counts as usable")
    connection.close()
