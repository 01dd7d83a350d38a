"""Queries of a reading request have a limit, on every connection and in every form."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import cast

import pytest
from django.db import OperationalError, connection

from dimensions_site.db.postgresql.streaming import streamed_rows
from dimensions_site.db.read_limits import (
    CancelReason,
    Connection,
    ReadLimit,
    current_limit,
    is_cancellation,
    own_reads,
    read_limit,
    reads_ended_by,
    waiting_write,
)
from dimensions_site.repositories.models import Repository
from tests.beside import beside

# Takes minutes, and finds its first rows at once when the condition lets them pass.
NUMBERS = (
    "SELECT n FROM (SELECT generate_series(1, {count}) AS n) AS numbers WHERE {condition}"
    if connection.vendor == "postgresql"
    else "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) "
    "SELECT n FROM numbers WHERE {condition}"
)
NEVER = NUMBERS.format(count=2_000_000_000, condition="n < 0")
SOON = NUMBERS.format(count=2_000_000_000, condition="n < 3")
MANY_ROWS = 200_000
MANY = NUMBERS.format(count=MANY_ROWS, condition="n > 0")

pytestmark = pytest.mark.django_db(transaction=True)


def endless() -> str:
    """A query that takes minutes, too, but waits instead of computing."""
    if connection.vendor == "postgresql":
        return "SELECT pg_sleep(600)"

    def pause() -> int:
        time.sleep(0.01)
        return 1

    connection.ensure_connection()
    connection.connection.create_function("pause", 0, pause)
    pauses = "WITH RECURSIVE pauses(n) AS (SELECT 1 UNION ALL SELECT n + pause() FROM pauses)"
    return f"{pauses} SELECT n FROM pauses WHERE n < 0"


@contextmanager
def cancelled(end: CancelReason) -> Iterator[None]:
    """The block's query is cancelled for that reason, soon; the connection can be asked again afterwards."""
    begun = time.monotonic()
    with pytest.raises(OperationalError) as error:
        yield
    assert is_cancellation(error.value)
    assert reads_ended_by() is end
    assert time.monotonic() - begun < 20
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_a_query_that_finds_nothing_is_cancelled():
    """As a count or a search with few hits."""
    with read_limit(0.3), connection.cursor() as cursor, cancelled(CancelReason.TIME):
        cursor.execute(NEVER)
        cursor.fetchall()


def test_a_stream_is_cancelled_between_its_rows():
    """Its first rows were there at once; it stays limited after the block, as the body of an answer does."""
    with read_limit(0.3):
        rows = streamed_rows(connection, SOON, [])
        with cancelled(CancelReason.TIME), closing(rows):
            assert len(list(rows)) < 3


def test_a_query_of_models_is_cancelled_while_its_rows_are_fetched(northwind: Repository):
    """As the lists of the administration: SQLite finds their rows only then."""
    slow = Repository.objects.raw(f"SELECT repositories_repository.* FROM repositories_repository, ({NEVER}) AS none")
    with read_limit(0.3), cancelled(CancelReason.TIME):
        list(slow)


def test_long_lists_get_more_time_with_each_row():
    """The limit is for work that finds little."""
    with read_limit(0.1), closing(streamed_rows(connection, MANY, [])) as rows:
        assert sum(1 for _ in rows) == MANY_ROWS
        assert reads_ended_by() is None


def test_the_time_in_which_nobody_asks_the_database_does_not_count():
    """Slow readers may take as long as they like."""
    with read_limit(0.3), closing(streamed_rows(connection, MANY, [])) as rows:
        next(rows)
        time.sleep(0.6)
        assert next(rows) == (2,)


def test_queries_of_a_client_that_has_gone_are_cancelled():
    """Long before their limit."""
    ours, theirs = socket.socketpair()
    with ours, read_limit(600, ours), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        theirs.sendall(b"GET /next HTTP/1.1\r\n")  # which is not read before the end of this answer
        theirs.close()
        with cancelled(CancelReason.CLIENT):
            cursor.execute(NEVER)
            cursor.fetchall()


def test_a_query_that_has_ended_is_not_cancelled_any_more():
    """The thread that watches may look at it a moment later; the next query would be cancelled in its place."""
    limit = ReadLimit(0.3, None, None)
    with limit.running(cast(Connection, connection)):
        pass
    limit.check(time.monotonic() + 60)
    assert limit.end is None


def ends_of(*readers: tuple[str, str, float]) -> dict[str, CancelReason | None]:
    """How reads end that begin one after the other; each has a name, an owner, and a limit in seconds."""

    def work(owner: str, seconds: float) -> CancelReason | None:
        with read_limit(seconds):
            own_reads(owner)
            with connection.cursor() as cursor, suppress(OperationalError):
                cursor.execute(endless())
                cursor.fetchall()
            return reads_ended_by()

    ends = {}
    for name, owner, seconds in readers:
        ends[name] = beside(partial(work, owner, seconds))
        time.sleep(0.1)
    return {name: end.result(30) for name, end in ends.items()}


def test_of_the_long_reads_of_one_repository_the_latest_are_cancelled(settings):
    """So that threads are left for others; those of another repository continue."""
    settings.LONG_READERS = 1
    ends = ends_of(("first", "a", 3), ("second", "a", 60), ("other", "b", 3))
    assert ends == {"first": CancelReason.TIME, "second": CancelReason.CROWD, "other": CancelReason.TIME}


def test_long_reads_of_all_repositories_leave_one_thread_to_others(settings):
    """The latest read of the owner with the most is cancelled."""
    settings.LONG_READERS, settings.WEB_THREADS = 2, 3
    ends = ends_of(("first", "a", 3), ("second", "a", 60), ("other", "b", 3))
    assert ends == {"first": CancelReason.TIME, "second": CancelReason.CROWD, "other": CancelReason.TIME}


def test_waiting_writes_count_with_the_long_reads(settings):
    """They occupy threads, too."""
    settings.LONG_READERS, settings.WEB_THREADS = 2, 3
    with waiting_write("writers"):
        ends = ends_of(("first", "a", 3), ("second", "b", 60))
    assert ends == {"first": CancelReason.TIME, "second": CancelReason.CROWD}


def test_what_writes_has_no_such_limit():
    """Outside of a reading request nothing is watched."""
    with connection.cursor() as cursor:
        cursor.execute(NUMBERS.format(count=MANY_ROWS, condition="n < 0"))
        assert reads_ended_by() is None


@contextmanager
def slow_list() -> Iterator[None]:
    """The database takes minutes for a query of accounts."""
    query = endless()

    def takes_long(execute, sql, parameters, many, context):
        is_list = sql.startswith("SELECT") and '"account_account"' in sql
        return execute(query if is_list else sql, () if is_list else parameters, many, context)

    # Outside of the limit, so that the limit is for its queries.
    connection.execute_wrappers.insert(0, takes_long)
    try:
        yield
    finally:
        connection.execute_wrappers.remove(takes_long)


EXPORT = {"action": "export_elements", "_selected_action": "1", "select_across": "1", "format": "csv"}


@pytest.mark.contract("B1")
@pytest.mark.parametrize(
    ("method", "page", "data"),
    [
        ("get", "", {"q": "cash"}),
        ("post", "?q=cash", EXPORT),
        ("post", "?q=cash", {}),
        ("post", "export_file/?q=cash", EXPORT),
    ],
    ids=["list", "action of a list", "list by POST", "export"],
)
def test_a_page_that_takes_too_long_says_so(settings, client, admin_user, northwind, method, page, data):
    """503, with advice: people can search for less. The actions of a list search, too."""
    settings.READ_TIMEOUT_SECONDS = 1
    client.force_login(admin_user)
    client.raise_request_exception = False
    with slow_list():
        response = getattr(client, method)(f"/admin/account/account/{page}", data)

    assert response.status_code == 503
    assert "The search took too long and was stopped." in response.content.decode()


def test_the_pages_of_a_user_count_together_in_whichever_session(client, admin_user, northwind):
    """A user who signs in again and again gets no more threads than others."""
    owners: list[str | None] = []

    def note(execute, sql, parameters, many, context):
        if '"account_account"' in sql and (limit := current_limit()):
            owners.append(limit.owner)
        return execute(sql, parameters, many, context)

    client.force_login(admin_user)
    with connection.execute_wrapper(note):
        assert client.get("/admin/account/account/").status_code == 200
    assert set(owners) == {f"user {admin_user.pk}"}
