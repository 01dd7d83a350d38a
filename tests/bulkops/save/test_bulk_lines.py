"""Bodies of lines and rows cost no more than their elements: empty ones count, and few large ones are read at once."""

import socket
import threading
import time
from contextlib import ExitStack

import pytest

from dimensions_site.api.errors import Problem
from dimensions_site.elements.writing.locking import reading_in_turn
from tests.bulkops.save.bulk import elements, path, places, refused
from tests.factories import content, currency, json_bytes

pytestmark = pytest.mark.contract("B3", "K3")

NDJSON, CSV = "application/x-ndjson", "text/csv"
HEADINGS = b"id,descriptions.en,decimalNumbers,percentageDifference\r\n"
LARGE = 4 * 1024**2


def post(person, format: str, body: bytes, **extra: object):
    return person.generic("POST", path(person, "currency"), body, format, **extra)


def row(number: int) -> bytes:
    return f"{number},Cash,2,0\r\n".encode()


@pytest.mark.parametrize("blank", [b"\n", b" \n", b"\r\n"])
def test_blank_lines_count_towards_twice_the_number_of_elements(alice, settings, blank):
    """A body of nothing but line breaks would keep a thread from others."""
    settings.API_MAX_BULK_ELEMENTS = 10
    line = json_bytes(currency("A"))
    assert post(alice, NDJSON, blank * 19 + line).status_code == 200
    report = refused(post(alice, NDJSON, blank * 20 + line))
    assert places(report) == [("", "TOO_MANY_ELEMENTS")]
    assert report["detail"] == "The body has more than 20 lines; send several requests."


@pytest.mark.parametrize("blank", [b"\n", b",,\n", b"\r\n"])
def test_empty_rows_count_towards_twice_the_number_of_elements(alice, settings, blank):
    """The headings too."""
    settings.API_MAX_BULK_ELEMENTS = 10
    assert post(alice, CSV, HEADINGS + blank * 18 + row(1)).status_code == 200
    report = refused(post(alice, CSV, HEADINGS + blank * 19 + row(1)))
    assert places(report) == [("line 21", "TOO_MANY_ELEMENTS")]


def test_a_row_that_is_too_long_ends_the_reading(alice):
    """With the errors before it; what follows is not read."""
    body = HEADINGS + b"A,Cash,x,0\r\n" + b'B,"' + b"a\n" * 2 * LARGE + b"C,Cash,x,0\r\n"
    assert places(refused(post(alice, CSV, body))) == [
        ("line 2, decimalNumbers", "INVALID"),
        ("line 3", "UNREADABLE_FILE"),
    ]


@pytest.mark.contract("B1")
def test_the_errors_of_all_lines_come_with_those_that_are_not_json(alice):
    """A client that repairs all of them succeeds; the path is the index of the line, blank ones included."""
    lines = [currency("A", decimalNumbers=99), currency("B"), currency("C", colour="red"), currency("B")]
    texts = [json_bytes(line) for line in lines]
    body = b"\n".join([texts[0], b"", b'{"id": "X"', texts[1], b"nothing", *texts[2:]])
    assert places(refused(post(alice, NDJSON, body))) == [
        ("/0/decimalNumbers", "INVALID"),
        ("/2", "INVALID_JSON"),
        ("/4", "INVALID_JSON"),
        ("/5/colour", "UNKNOWN_MEMBER"),
        ("/6/id", "REPEATED"),
    ]


def test_a_client_that_has_gone_ends_the_reading(alice):
    """Nobody waits for the result, and nothing is saved."""
    server, client = socket.socketpair()
    with server:
        client.close()
        response = post(alice, CSV, HEADINGS + row(1), **{"gunicorn.socket": server})
        assert (response.status_code, response.json()["code"]) == (499, "CLIENT_CLOSED_REQUEST")
    assert elements(alice, "currency") == []
    server, client = socket.socketpair()
    with server, client:
        response = post(alice, CSV, HEADINGS + row(1), **{"gunicorn.socket": server})
        assert (response.status_code, content(response)) == (200, b'{"code":"SUCCESS"}')


def seconds_until_refused(repository, size: int) -> float | None:
    """How long another thread waits for its turn; None if it gets it."""
    refusals: list[Problem] = []

    def read() -> None:
        try:
            with reading_in_turn(repository, size):
                pass
        except Problem as problem:
            refusals.append(problem)

    begun = time.monotonic()
    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    if not refusals:
        return None
    assert [(problem.status_code, problem.code) for problem in refusals] == [(503, "REPOSITORY_BUSY")]
    return time.monotonic() - begun


def test_few_large_bodies_of_a_repository_are_read_at_a_time(northwind, contoso, settings):
    """Others wait for a moment; small ones, and those of other repositories, are read meanwhile."""
    settings.BULK_WAITERS, settings.WEB_THREADS = 2, 4
    with ExitStack() as reading:
        for _ in range(2):
            assert seconds_until_refused(northwind, LARGE) is None
            reading.enter_context(reading_in_turn(northwind, LARGE))
        waited = seconds_until_refused(northwind, LARGE)
        assert waited is not None
        assert 1 <= waited < 5
        assert seconds_until_refused(northwind, LARGE - 1) is None
        assert seconds_until_refused(contoso, LARGE) is None
    assert seconds_until_refused(northwind, LARGE) is None


def test_large_bodies_leave_a_thread_to_others(northwind, contoso, settings):
    """However many repositories they are for."""
    settings.BULK_WAITERS, settings.WEB_THREADS = 2, 3
    with reading_in_turn(northwind, LARGE), reading_in_turn(northwind, LARGE):
        assert seconds_until_refused(contoso, LARGE) is not None
