"""Answers are compressed when the client accepts gzip (contract M1)."""

import gzip
import json
import zlib
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from dimensions_site.api.middleware.compression import MINIMUM_BYTES, accepts_gzip, compress_responses
from dimensions_site.api.rendering import PIECE_TEXTS
from tests.factories import Person, account, content, currency, read
from tests.storing import store_currencies

pytestmark = pytest.mark.contract("M1")

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
LONG = {"descriptions": {"en": "Budget euro " * 40, "de": "Planeuro für das Jahr " * 40}}


def large(person: Person, id: str = "EUR") -> str:
    """Create an element whose JSON has more than 1 KB; return its address."""
    assert person.send("POST", person.currency(), currency(id, **LONG)).status_code == 201
    return person.currency(f"elements/{id}")


def test_an_answer_is_compressed_and_says_so(alice: Person):
    """With the length of what is sent; and caches learn that it depends on what the client accepts."""
    address = large(alice)
    plain, gzipped = alice.get(address), alice.get(address, headers=GZIP)
    assert "Content-Encoding" not in plain
    assert gzipped["Content-Encoding"] == "gzip"
    assert gzip.decompress(gzipped.content) == plain.content
    assert (plain["Content-Length"], gzipped["Content-Length"]) == (str(len(plain.content)), str(len(gzipped.content)))
    assert len(gzipped.content) < len(plain.content) / 2
    assert plain["Vary"] == gzipped["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("size", [MINIMUM_BYTES - 1, MINIMUM_BYTES])
@pytest.mark.parametrize("is_streamed", [False, True])
def test_what_is_smaller_than_1_kb_stays_as_it_is(size: int, is_streamed: bool):
    """A stream, too, whose length is not known before."""
    answer = _answered([b"a" * (size - 1), b"b"], is_streamed=is_streamed)
    assert ("Content-Encoding" in answer) == (size == MINIMUM_BYTES)
    body = content(answer)
    assert (gzip.decompress(body) if "Content-Encoding" in answer else body) == b"a" * (size - 1) + b"b"
    assert answer["Vary"] == "Accept-Encoding"


@pytest.mark.contract("D7")
@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson", "text/csv"])
def test_a_list_is_compressed_piece_by_piece(alice: Person, northwind, accept: str):
    """Each piece can be read as soon as it arrives, so a client can process it while the rest is made."""
    store_currencies(northwind, *(currency(f"C{number:04}") for number in range(2 * PIECE_TEXTS + 1)))
    plain = content(alice.get(alice.currency(), headers={"Accept": accept}))
    answer: Any = alice.get(alice.currency(), headers={"Accept": accept, **GZIP})
    assert answer.streaming
    assert answer["Content-Encoding"] == "gzip"
    assert "Content-Length" not in answer
    assert set(answer["Vary"].split(", ")) == {"Accept", "Accept-Encoding"}
    reader = zlib.decompressobj(31)
    parts = [reader.decompress(piece) for piece in answer.streaming_content]
    assert b"".join(parts) == plain
    assert reader.eof
    assert min(len(parts[0]), len(parts[1])) > len(plain) / 3


def test_a_short_list_is_read_to_its_end_and_stays_as_it_is(alice: Person):
    alice.send("POST", alice.currency(), currency())
    answer = alice.get(alice.currency(), headers=GZIP)
    assert "Content-Encoding" not in answer
    assert [element["id"] for element in read(answer)] == ["EUR"]


@pytest.mark.parametrize(
    ("header", "is_accepted"),
    [
        ("", False),
        ("identity", False),
        ("gzip", True),
        ("GZip", True),
        ("x-gzip", True),
        ("deflate, br;q=1, gzip;q=0.001", True),
        ("gzip ; q=0.5 , identity;q=0.5", True),
        ("gzip;q=0.5, identity", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("gzip;q=0, *", False),
        ("*", True),
        ("*;q=0", False),
        ("identity;q=0.3, *;q=0.5", True),
        ("br, deflate", False),
        ("gzipped", False),
        ("gzip;q=x", False),
        ("gzip;q=1.001", False),
        ("gzip;q=-1", False),
        ("gzip;level=9", False),
        (",,gzip,,", True),
        (";;;,=", False),
    ],
)
def test_accept_encoding_is_read_with_its_weights(header: str, is_accepted: bool):
    """An unreadable header does not count as consent: any client can read the uncompressed response."""
    assert accepts_gzip(header) is is_accepted


@pytest.mark.contract("C16")
def test_a_compressed_element_has_a_strong_tag_of_its_own_that_conditions_take(alice: Person):
    """A client that reads compressed responses and one that does not can both write what they have seen."""
    address = large(alice)
    plain, gzipped = alice.get(address), alice.get(address, headers=GZIP)
    assert gzipped["ETag"] == f'{plain["ETag"][:-1]}-gzip"'
    changed = alice.send("PATCH", address, {"preferred": True}, If_Match=gzipped["ETag"], Accept_Encoding="gzip")
    assert changed.status_code == 200
    outdated = alice.send("PATCH", address, {"preferred": False}, If_Match=gzipped["ETag"])
    assert outdated.status_code == 412
    assert changed["ETag"].endswith('-gzip"')
    replaced = alice.send("PUT", address, json.loads(gzip.decompress(changed.content)), If_Match=changed["ETag"])
    assert replaced.status_code == 200


def test_the_answer_of_a_bulk_save_is_compressed(alice: Person):
    """It comes from a file of known length; the compressed length is not known."""
    body = {"post": [account(f"{number:06}") for number in range(20)]}
    answer = alice.send("POST", alice.account("elements-bulk"), body, Accept_Encoding="gzip")
    assert (answer.status_code, answer["Content-Encoding"]) == (200, "gzip")
    assert "Content-Length" not in answer
    assert len(json.loads(gzip.decompress(content(answer)))) == 20


@pytest.mark.parametrize(
    ("content_type", "is_compressed"),
    [
        ("application/json", True),
        ("application/problem+json", True),
        ("application/x-ndjson", True),
        ("text/csv; charset=utf-8", True),
        ("application/yaml", True),
        ("application/vnd.oai.openapi+json", True),
        ("text/javascript", True),
        ("image/svg+xml", True),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", False),
        ("application/gzip", False),
        ("application/octet-stream", False),
        ("image/png", False),
        ("font/woff2", False),
    ],
)
def test_what_is_compressed_already_is_not_compressed_twice(content_type: str, is_compressed: bool):
    """Workbooks, pictures and fonts."""
    answer = _answered([b"a" * 5_000], content_type=content_type)
    assert ("Content-Encoding" in answer) is is_compressed
    assert ("Vary" in answer) is is_compressed


@pytest.mark.parametrize("headers", [{"Content-Encoding": "br"}, {"status": 206, "Content-Range": "bytes 0-4999/6000"}])
def test_an_encoded_answer_and_a_part_of_one_stay_as_they_are(headers: dict[str, Any]):
    status = headers.pop("status", 200)
    answer = _answered([b"a" * 5_000], headers=headers, status=status)
    assert answer.content == b"a" * 5_000


def test_a_file_is_compressed_as_a_whole():
    """Nobody waits for its first lines, and flushing after each small block would make it larger."""
    request = _request()
    answer: Any = compress_responses(lambda _: FileResponse(_Blocks(), content_type="text/csv"))(request)
    pieces = list(answer.streaming_content)
    assert gzip.decompress(b"".join(pieces)) == b"a" * 4_000_000
    assert len(pieces) < 100


@pytest.mark.django_db
def test_a_stream_that_is_not_read_to_its_end_is_closed():
    """The client may have gone; the source of the stream must be released."""
    closed = []

    def pieces():
        try:
            while True:
                yield b"a" * 5_000
        finally:
            closed.append(True)

    answer: Any = compress_responses(lambda _: StreamingHttpResponse(pieces(), content_type="application/json"))(
        _request()
    )
    next(iter(answer))
    answer.close()
    assert closed == [True]


@pytest.mark.django_db
def test_pages_are_compressed_with_a_random_length():
    """The length of a response does not reveal whether a guess in a forged request was right."""
    answers = [Client().get("/admin/login/", headers=GZIP) for _ in range(20)]
    assert {answer["Content-Encoding"] for answer in answers} == {"gzip"}
    assert {answer["Vary"] for answer in answers} == {"Cookie, Accept-Language, Accept-Encoding"}
    names = [_name(answer.content) for answer in answers]
    assert len({len(name) for name in names}) > 5
    assert all(b"</html>" in gzip.decompress(answer.content) for answer in answers)


STATIC = "/static/admin/css/base.css"


def test_static_files_are_compressed_once():
    """With a separate tag and the right length; a process keeps what it has compressed."""
    plain, gzipped = Client().get(STATIC), Client().get(STATIC, headers=GZIP)
    body = content(gzipped)
    assert gzip.decompress(body) == content(plain)
    assert (gzipped["Content-Encoding"], gzipped["Content-Length"]) == ("gzip", str(len(body)))
    assert gzipped["ETag"] == f'{plain["ETag"][:-1]}-gzip"'
    assert len(body) < int(plain["Content-Length"]) / 3
    known = Client().get(STATIC, headers={"If-None-Match": gzipped["ETag"], **GZIP})
    assert (known.status_code, known["ETag"]) == (304, gzipped["ETag"])
    assert content(Client().get(STATIC, headers=GZIP)) == body


def test_a_part_of_a_static_file_is_one_of_the_file_as_it_is():
    """A client that resumes a compressed file gets the whole again, because its parts cannot be identified."""
    plain = content(Client().get(STATIC))
    part = Client().get(STATIC, headers={"Range": "bytes=10-1999", **GZIP})
    assert (part.status_code, content(part)) == (206, plain[10:2000])
    tag = Client().get(STATIC, headers=GZIP)["ETag"]
    whole = Client().get(STATIC, headers={"Range": "bytes=10-1999", "If-Range": tag, **GZIP})
    assert (whole.status_code, gzip.decompress(content(whole))) == (200, plain)


def _request() -> WSGIRequest:
    request = RequestFactory().get("/", headers=GZIP)
    assert isinstance(request, WSGIRequest)
    return request


def _answered(
    pieces: list[bytes],
    *,
    is_streamed: bool = False,
    content_type: str = "application/json",
    headers: dict[str, str] | None = None,
    status: int = 200,
) -> Any:
    """What the middleware makes of an answer with these bytes."""

    def view(_: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        kind = StreamingHttpResponse if is_streamed else HttpResponse
        body: Any = iter(pieces) if is_streamed else b"".join(pieces)
        return kind(body, content_type=content_type, headers=headers, status=status)

    return compress_responses(view)(_request())


class _Blocks:
    """A file of 4 MB."""

    def __init__(self) -> None:
        self._rest = 4_000_000

    def read(self, size: int) -> bytes:
        size = min(size, self._rest)
        self._rest -= size
        return b"a" * size

    def close(self) -> None:
        pass


def _name(file: bytes) -> bytes:
    """The name of a file in the head of gzip, which ends with NUL."""
    return file[10:].partition(b"\0")[0]
