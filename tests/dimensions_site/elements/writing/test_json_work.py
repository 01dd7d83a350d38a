"""How often the JSON of one small element is read and written during a single write."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import orjson
from django.db import connection

from dimensions_site.api.json.reader import read_json
from dimensions_site.elements.models import WireJSONEncoder
from tests.factories import account, currency

DECODERS = {orjson.loads, msgspec.json.decode}
ENCODERS = {orjson.dumps, msgspec.json.encode}
# Elements that the standard library reads or writes; the log and Django's own columns do not count.
IN_PYTHON = {read_json.__code__: "decoded", WireJSONEncoder.__init__.__code__: "encoded"}


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts the JSON texts that are decoded and encoded in the block, by whichever library."""
    counts: Counter[str] = Counter()

    def look(frame, event, called) -> None:
        kind = None
        if event == "call":
            kind = IN_PYTHON.get(frame.f_code)
        elif event == "c_call":
            if called in DECODERS or isinstance(called.__self__, msgspec.json.Decoder):
                kind = "decoded"
            elif called in ENCODERS or isinstance(called.__self__, msgspec.json.Encoder):
                kind = "encoded"
        if kind:
            counts[kind] += 1

    sys.setprofile(look)
    try:
        yield counts
    finally:
        sys.setprofile(None)


def work(person, method, path, body):
    """How often JSON was decoded and encoded between the request and its response."""
    raw = orjson.dumps(body)
    with counted() as counts:
        answer = person.generic(method, path, raw, content_type="application/json")
    assert answer.status_code in (200, 201), answer.content
    return counts["decoded"], counts["encoded"]


def test_one_small_write_reads_and_writes_little_json(alice):
    """What was sent is decoded once, and so is what is stored; a patch decodes a changed map once more."""
    alice.send("POST", alice.currency(), currency("USD"))  # what is made once for a process exists now
    alice.send("POST", alice.account(), account("2000"))
    one_currency, one_account = alice.currency("elements/EUR"), alice.account("elements/1000")
    # PostgreSQL has its own order of the members of objects, so what looks different is compared once more.
    reordered = 2 if connection.vendor == "postgresql" else 0
    # SQLite has the switches of approval, which come with the repository, as a text.
    text = 0 if connection.vendor == "postgresql" else 1
    changed = {"descriptions": {"en": "New"}}

    assert {
        "POST currency": work(alice, "POST", alice.currency(), currency()),
        "PUT currency": work(alice, "PUT", one_currency, currency(decimalNumbers=3)),
        "PATCH currency": work(alice, "PATCH", one_currency, changed),
        "POST account": work(alice, "POST", alice.account(), account()),
        "PUT account": work(alice, "PUT", one_account, account(type="DETAIL")),
        "PATCH account": work(alice, "PATCH", one_account, changed),
    } == {
        "POST currency": (1 + text, 4),
        "PUT currency": (2 + text + reordered, 7),
        "PATCH currency": (3 + text, 7),
        "POST account": (1 + text, 4),
        "PUT account": (2 + text + reordered, 7),
        "PATCH account": (3 + text, 7),
    }
