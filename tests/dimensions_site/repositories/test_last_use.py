"""The last use of an API key is stored, at hardly any cost for the request."""

import sqlite3
import time
from contextlib import closing, nullcontext
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from dimensions_site.repositories.models import ApiKey

pytestmark = pytest.mark.contract("G1")


def last_use(person):
    return ApiKey.objects.get(user=person.user).last_used_at


def used(person, at):
    ApiKey.objects.filter(user=person.user).update(last_used_at=at)


@pytest.mark.parametrize("before", [None, timedelta(minutes=1), timedelta(days=400)], ids=["never", "a minute", "long"])
def test_a_use_is_written_down(rita, before):
    """If the key was not used within the last minute."""
    began = timezone.now()
    used(rita, None if before is None else began - before)
    assert rita.get(rita.currency()).status_code == 200
    assert began <= last_use(rita) <= timezone.now()


def test_the_next_uses_within_a_minute_write_nothing(rita, django_assert_num_queries):
    """A program that reads a thousand elements does not write."""
    used(rita, None)
    rita.get(rita.currency("elements/EUR"))
    first = last_use(rita)
    with django_assert_num_queries(2) as queries:  # the key with its user and the repository, the element
        rita.get(rita.currency("elements/EUR"))
    assert not [sql for sql in queries.captured_queries if not sql["sql"].startswith("SELECT")]
    assert last_use(rita) == first


def test_only_the_key_that_came_was_used(rita, ed):
    """And no other one, whoever's it is."""
    used(rita, None)
    used(ed, None)
    rita.get(rita.currency("elements/EUR"))
    assert last_use(rita) is not None
    assert last_use(ed) is None


def test_a_refused_key_was_not_used(rita):
    """Trying a revoked key leaves no trace of use."""
    used(rita, None)
    ApiKey.objects.update(revoked=True)
    assert rita.get(rita.currency()).status_code == 401
    assert last_use(rita) is None


@pytest.mark.django_db(transaction=True)
def test_a_reader_waits_for_no_writer(rita):
    """On SQLite one writer locks the database: the response comes at once, and the use is stored later."""
    used(rita, None)
    with locked() as is_locked:
        began = time.monotonic()
        assert rita.get(rita.currency()).status_code == 200
        assert time.monotonic() - began < 18  # the usual timeout is 20 seconds
        assert (last_use(rita) is None) is is_locked
    assert rita.get(rita.currency()).status_code == 200
    assert last_use(rita) is not None


def locked():
    """Somebody else writes; PostgreSQL does not block others."""
    if connection.vendor != "sqlite":
        return nullcontext(False)
    return _SqliteWriter()


class _SqliteWriter:
    def __enter__(self):
        self._connection = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        self._connection.execute("BEGIN IMMEDIATE")
        return True

    def __exit__(self, *exception):
        with closing(self._connection):
            self._connection.execute("ROLLBACK")
