"""The floor: what the database and the web server take, with nothing between them that could be left out.

A bare WSGI application that answers stored text. It checks nothing, keeps no history, lets everybody in, and answers
no address but those of the benchmark: `gunicorn tests.load.bench.floor`.

    GET   /TENANT/list /TENANT/ndjson /TENANT/summaries                  everything of a tenant, streamed
    GET   /TENANT/page/OFFSET /TENANT/after/ID                           100 accounts
    GET   /TENANT/count/NATURE /TENANT/containing/TEXT                   number, accounts with the text in German
    GET   /TENANT/one/ID, PATCH /TENANT/one/ID, POST /TENANT/bulk        one account, one text of it, many accounts
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import psycopg
from psycopg import Connection

SCHEMA = """
CREATE SCHEMA floor;
CREATE TABLE floor.accounts (
    tenant text COLLATE "C", id text COLLATE "C", nature text COLLATE "C", document text, PRIMARY KEY (tenant, id)
);
"""
_PAGE = 100
# As many bytes as are handed to the web server at a time.
_PIECE = 64 * 1024
_ALL = "SELECT document FROM floor.accounts WHERE tenant = %s ORDER BY id"
# The ids come from the index alone, so the rows before the page are not looked at.
_OFFSET = f"""
SELECT document FROM floor.accounts WHERE tenant = %s AND id IN (
    SELECT id FROM floor.accounts WHERE tenant = %s ORDER BY id LIMIT {_PAGE} OFFSET %s) ORDER BY id
"""
_AFTER = f"SELECT document FROM floor.accounts WHERE tenant = %s AND id > %s ORDER BY id LIMIT {_PAGE}"
# The text is searched for in the document first: only few have to be read as JSON.
_CONTAINING = """
SELECT document FROM floor.accounts
WHERE tenant = %s AND document LIKE %s AND document::json #>> '{descriptions,de}' LIKE %s ORDER BY id
"""
_SUMMARIES = """
SELECT json_build_object('id', id, 'description', document::json #>> '{descriptions,en}', 'nature', nature)
FROM floor.accounts WHERE tenant = %s ORDER BY id
"""
_COUNT = "SELECT count(*) FROM floor.accounts WHERE tenant = %s AND nature = %s"
_ONE = "SELECT document FROM floor.accounts WHERE tenant = %s AND id = %s"
_PATCH = """
UPDATE floor.accounts SET document = (document::jsonb || %s::jsonb)::text WHERE tenant = %s AND id = %s
RETURNING document
"""

_local = threading.local()
_StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class _Head(msgspec.Struct):
    """What the floor looks at in an account that is saved."""

    id: str
    nature: str


class _Bulk(msgspec.Struct):
    post: list[msgspec.Raw] = []
    put: list[msgspec.Raw] = []


_bulk = msgspec.json.Decoder(_Bulk)
_head = msgspec.json.Decoder(_Head)


def application(environ: dict[str, Any], start_response: _StartResponse) -> Iterable[bytes]:
    """Answer a request of the benchmark."""
    _, tenant, what, *rest = environ["PATH_INFO"].split("/")
    match what, rest:
        case "one", [id]:
            row = _modified(environ, tenant, id) if environ["REQUEST_METHOD"] == "PATCH" else _row(_ONE, tenant, id)
            return _answer(start_response, row[0].encode())
        case "count", [nature]:
            return _answer(start_response, str(_row(_COUNT, tenant, nature)[0]).encode())
        case "page", [offset]:
            return _answer(start_response, _array(_copied(_OFFSET, tenant, tenant, int(offset))))
        case "after", [id]:
            return _answer(start_response, _array(_copied(_AFTER, tenant, id)))
        case "containing", [text]:
            return _answer(start_response, _array(_copied(_CONTAINING, tenant, f"%{text}%", f"%{text}%")))
        case "bulk", []:
            return _answer(start_response, _saved(environ, tenant))
        case "ndjson", []:
            pieces = _pieces(_copied(_ALL, tenant), b"", b"\n", b"\n")
        case _:
            pieces = _pieces(_copied(_SUMMARIES if what == "summaries" else _ALL, tenant), b"[", b",", b"]")
    start_response("200 OK", [("Content-Type", "application/json")])
    return pieces


def _answer(start_response: _StartResponse, body: bytes) -> list[bytes]:
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def _database() -> "Connection[Any]":
    """The connection of this thread."""
    if not hasattr(_local, "connection"):
        # For a fifth of the rows the planner considers reading all of them as cheap, which it is not.
        _local.connection = psycopg.connect(
            os.environ["DATABASE_URL"], autocommit=True, options="-c enable_seqscan=off"
        )
    connection: Connection[Any] = _local.connection
    return connection


def _row(statement: str, *parameters: object) -> Any:
    return _database().execute(statement, parameters).fetchone()


def _copied(statement: str, *parameters: object) -> Iterator[bytes]:
    """The texts of the only column, as PostgreSQL stores them."""
    with _database().cursor().copy(f"COPY ({statement}) TO STDOUT", parameters) as copy:
        for row in copy:
            text = bytes(row[:-1])
            yield text.replace(rb"\\", b"\\") if b"\\" in text else text


def _array(texts: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(texts) + b"]"


def _pieces(texts: Iterator[bytes], before: bytes, between: bytes, after: bytes) -> Iterator[bytes]:
    """The texts with the JSON around them, in pieces of some size."""
    piece = [before + next(texts, b"")]
    length = len(piece[0])
    for text in texts:
        piece.append(text)
        length += len(text)
        if length > _PIECE:
            yield between.join(piece)
            # What follows begins with what stands between.
            piece, length = [b""], 0
    yield between.join(piece) + after


def _modified(environ: dict[str, Any], tenant: str, id: str) -> Any:
    changes = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode()
    return _row(_PATCH, changes, tenant, id)


def _saved(environ: dict[str, Any], tenant: str) -> bytes:
    """Insert the accounts below `post`, insert or replace those below `put`; return them as an array."""
    body = _bulk.decode(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    with _database().transaction(), _database().cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE sent (LIKE floor.accounts) ON COMMIT DROP")
        with cursor.copy("COPY sent FROM STDIN") as copy:
            for document in (*body.post, *body.put):
                copy.write(_line(tenant, document))
        conflict = "ON CONFLICT (tenant, id) DO UPDATE SET nature = excluded.nature, document = excluded.document"
        cursor.execute(f"INSERT INTO floor.accounts SELECT * FROM sent {conflict if body.put else ''}")
    return _array(bytes(document) for document in (*body.post, *body.put))


def _line(tenant: str, document: msgspec.Raw) -> bytes:
    """The account as COPY reads it: in JSON without line breaks only the backslash means anything there."""
    head = _head.decode(document)
    return f"{tenant}\t{head.id}\t{head.nature}\t".encode() + bytes(document).replace(b"\\", rb"\\") + b"\n"
