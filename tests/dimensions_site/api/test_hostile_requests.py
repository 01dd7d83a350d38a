"""Whatever is sent, the answer is a refusal that explains itself, never a failure of the service."""

from urllib.parse import quote

import pytest

from tests.factories import account, content, currency, json_bytes

pytestmark = pytest.mark.contract("B3")

BODIES = {
    "not JSON": b"{",
    "two values": b"{} {}",
    "a list": b"[]",
    "a list of lists": b"[[]]",
    "a text": b'"text"',
    "a number": b"1",
    "null": b"null",
    "NaN": b'{"id": NaN}',
    "infinite": b'{"decimalNumbers": -Infinity}',
    "NUL as it is": b'{"id": "a\x00b"}',
    "NUL escaped": rb'{"id": "a\u0000b"}',
    "NUL in a key": rb'{"descriptions": {"e\u0000n": "x"}}',
    "lone surrogate": rb'{"id": "\ud800"}',
    "lone surrogate in a key": rb'{"\udfff": 1}',
    "UTF-16": '{"id": "A"}'.encode("utf-16"),
    "Latin-1": '{"id": "Ä"}'.encode("latin-1"),
    "duplicate key": b'{"id": "A", "id": "A"}',
    "huge integer": b'{"decimalNumbers": ' + b"9" * 5_000 + b"}",
    "huge exponent": b'{"percentageDifference": 1e999999999}',
    "tiny exponent": b'{"percentageDifference": 1e-399}',
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "groups of other types": json_bytes(account(rules=[], conversion="x", restrictions=1, updateInfo=None)),
    "leaves of other types": json_bytes(currency(decimalNumbers={}, preferred=[], oid={}, xbrlContent=[])),
    "an id of another type": json_bytes({**currency(), "id": {"id": "A"}}),
    "an id that is a number": json_bytes({**currency(), "id": 1}),
    "a description of another type": json_bytes(currency(description={"en": 1})),
    "bundle of other types": json_bytes(account(cashFlowPlanning=[], bankingData="x")),
    "a very long id": json_bytes(currency(id="x" * 100_000)),
    "a very long text": json_bytes(currency(descriptions={"en": "x" * 1_000_000})),
    "many members": json_bytes(dict.fromkeys(map(str, range(2_000)), 1)),
    "prototype": b'{"__proto__": {}, "constructor": 1}',
    "a dotted name": b'{"conversion.conversionType": "FINAL"}',
    "an empty name": b'{"": 1}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize(("method", "rest"), [("POST", "elements"), ("PUT", "elements/A"), ("PATCH", "elements/EUR")])
def test_a_hostile_body_is_a_400_that_explains_itself(alice, method, rest, body):
    """For both dimensions and each way of writing; nothing is stored."""
    alice.send("POST", alice.currency(), currency())
    for path in (alice.currency(rest), alice.account(rest)):
        response = alice.send(method, path, body)
        assert response.status_code == 400, content(response)[:500]
        assert response["Content-Type"] == "application/problem+json"
        assert all(error["message"] for error in response.json()["errors"])
    assert alice.get(alice.currency("elements-count")).json() == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/xml"}, 415),
        ({"Content-Type": ""}, 415),
        ({"Content-Type": "application/json; charset=utf-16"}, 415),
        ({"Content-Type": "application/json", "Content-Encoding": "br"}, 415),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, 400),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
        ({"Content-Type": "application/json", "Accept": "text/html"}, 406),
        ({"Content-Type": "application/json", "Accept": ";;q=,"}, 406),
        ({"Content-Type": "application/json", "Accept": "*/*;q=x"}, 201),
        ({"Content-Type": "application/json", "Host": "evil.example"}, 400),
        ({"Content-Type": "application/json", "Authorization": "Basic " + "A" * 10_000}, 401),
        ({"Content-Type": "application/json", "Authorization": "Basic \xff"}, 401),
        ({"Content-Type": "application/json", "X-Request-ID": "\xff" * 500}, 201),
        ({"Content-Type": "application/json", "If-Match": '"\xff'}, 201),
        ({"Content-Type": "application/json", "Prefer": "\xff,;="}, 201),
    ],
)
def test_a_hostile_header_is_refused_or_ignored(alice, headers, status):
    """Never a failure of the service."""
    content_type = headers.pop("Content-Type", "application/json")
    response = alice.generic("POST", alice.currency(), json_bytes(currency()), content_type, headers=headers)
    assert response.status_code == status
    if status >= 400:
        assert response["Content-Type"] == "application/problem+json"


QUERIES = [
    *(f"filter={quote(text)}" for text in ("(", "id", "id==", "==", "id===1", "id=in=()", "'", "\\", "a" * 4_097)),
    *(f"filter={quote(text)}" for text in ("(" * 4_000, "id==a;" * 60 + "id==a", "id=in=(" + "1," * 100 + "1)")),
    *(
        f"filter={quote(text)}"
        for text in ("id==\ud83d", "id==a\nb", "decimalNumbers==" + "9" * 400)
        if text.isprintable()
    ),
    *(
        f"filter={quote(text)}"
        for text in ("updateInfo.date==9999-12-31T23:59:59-23:59", "updateInfo.date==0001-01-01T00:00+23:00")
    ),
    *(
        f"filter={quote(text)}"
        for text in ("percentageDifference==1e5", "preferred==TRUE", "updateInfo==1", "descriptions.==1")
    ),
    "filter=id==%FF",
    "filter=id==%00",
    "filter=id==%ED%A0%80",
    "filter=%",
    "filter=id==a%0Ab",
    "sort=",
    "sort=,",
    "sort=-",
    "sort=id,id",
    "sort=" + "id," * 5_000,
    "sort=descriptions",
    "sort=%00",
    "skip=",
    "skip=1.0",
    "skip=+1",
    "skip=-0",
    "skip=%D9%A1",
    "take=9223372036854775808",
    "take=" + "9" * 5_000,
    "take=true",
    "properties=x",
    "&&=1",
    "=",
    "a" * 5_000,
    "&".join(f"p{number}=1" for number in range(1_500)),
]


@pytest.mark.parametrize("query", QUERIES, ids=[query[:40] for query in QUERIES])
def test_a_hostile_query_is_a_400_that_explains_itself(alice, query):
    """For the list and the count of both dimensions."""
    for path in (alice.currency(), alice.account("elements-count")):
        response = alice.get(f"{path}?{query}")
        assert response.status_code == 400, content(response)[:500]
        assert response["Content-Type"] == "application/problem+json"
        assert len(content(response)) < 250_000


@pytest.mark.parametrize("id", ["%00", "%FF", "%", "%2", "%0A", "%ED%A0%80", "%7F", "..", ".", "%20", "x" * 60_000])
def test_a_hostile_id_is_not_found_and_not_created(alice, id):
    """What cannot be an id is 404 to read; to write, 404 for an unreadable address and 400 for an impossible id."""
    for path in (alice.currency(f"elements/{id}"), alice.account(f"elements/{id}")):
        assert alice.get(path).status_code == 404
        assert alice.send("PATCH", path, {}).status_code in (400, 404)
        assert alice.send("PUT", path, {**currency(), "id": "A"}).status_code in (400, 404)
    assert alice.get(alice.currency("elements-count")).json() == 0
