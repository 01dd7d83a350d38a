"""Who may save many elements, at which addresses, with which methods and bodies."""

import codecs
import gzip

import pytest
from django.test import Client

from dimensions_site.repositories.models import Repository, Role
from tests.bulkops.save.bulk import DIMENSIONS, elements, path, places, refused, save, send
from tests.dimensions_site.api.test_hostile_requests import BODIES
from tests.factories import MAKERS, account, caller, content, json_bytes, read

PREFIXES = ("/api/aih/dimensions/v1", "/dimensions/v1")


def one(dimension):
    """A body with one new element."""
    return {"post": [MAKERS[dimension]("1")]}


def refusal(response):
    return response.status_code, response.json()["code"]


# --- Who ---------------------------------------------------------------------------------------


@pytest.mark.contract("G2")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_editors_may_and_readers_may_not(alice, ed, rita, dimension):
    """403 names the required role; a dry run needs it too, because it reveals what is stored."""
    for query in ("", "?dryRun=true"):
        response = send(rita, dimension, one(dimension), query)
        assert refusal(response) == (403, "ROLE_TOO_SMALL")
        assert "editor" in response.json()["detail"].lower()
    assert elements(alice, dimension) == []

    save(ed, dimension, **one(dimension))

    assert len(elements(alice, dimension)) == 1


@pytest.mark.contract("G2")
def test_an_editor_of_one_dimension_may_save_in_that_one_only(alice, northwind):
    """Grants are given for a dimension."""
    carol = caller("carol", northwind, Role.EDITOR, "currency")

    save(carol, "currency", **one("currency"))

    assert refusal(send(carol, "account", one("account"))) == (403, "NO_GRANT")
    assert elements(alice, "account") == []


@pytest.mark.contract("A6", "G2")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_people_of_other_repositories_may_not(alice, bob, dimension):
    """Nor does their own repository reveal what Northwind has: the same ids are free there."""
    save(alice, dimension, **one(dimension))
    before = elements(alice, dimension)

    assert refusal(send(bob, dimension, one(dimension))) == (403, "NO_GRANT")
    assert refusal(bob.send("POST", path(bob, dimension, db_id="nowhere"), {})) == (404, "REPOSITORY_NOT_FOUND")

    made = bob.send("POST", path(bob, dimension, db_id="contoso"), one(dimension))
    assert made.status_code == 200
    content(made)
    assert elements(alice, dimension) == before


@pytest.mark.contract("A6", "G3")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_where_the_api_is_switched_off_nothing_is_saved(alice, dimension):
    """For managers too."""
    Repository.objects.update(api_enabled=False)

    assert refusal(send(alice, dimension, one(dimension))) == (403, "API_NOT_ENABLED")


@pytest.mark.contract("A6", "B2")
def test_an_anonymous_client_gets_401(db):
    """Before the body is read."""
    for dimension in DIMENSIONS:
        response = Client().post(f"/dimensions/v1/northwind/{dimension}/elements-bulk", b"{", "application/json")
        assert response.status_code == 401
        assert response["WWW-Authenticate"]


# --- Where and how -----------------------------------------------------------------------------


@pytest.mark.contract("A1")
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_both_prefixes_lead_to_both_dimensions(alice, prefix, dimension):
    """The same call, the same effect."""
    response = alice.send("POST", f"{prefix}/northwind/{dimension}/elements-bulk", one(dimension))

    assert response.status_code == 200
    content(response)
    assert len(elements(alice, dimension)) == 1


@pytest.mark.contract("A4", "A5")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_only_post_saves(alice, dimension):
    """405 lists the permitted methods in Allow; a trailing slash is 404."""
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
        response = alice.send(method, path(alice, dimension), one(dimension))
        assert response.status_code == 405
        assert set(response["Allow"].split(", ")) == {"POST", "OPTIONS"}
    assert alice.send("POST", path(alice, dimension) + "/", one(dimension)).status_code == 404
    assert elements(alice, dimension) == []


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Content-Type": "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
        ({"Content-Type": "application/json; charset=utf-16"}, 415, "UNSUPPORTED_CHARSET"),
        ({"Content-Encoding": "br"}, 415, "UNSUPPORTED_CONTENT_ENCODING"),
    ],
)
def test_a_body_of_another_kind_is_not_read(alice, headers, status, code):
    """Another media type, charset or compression."""
    for dimension in DIMENSIONS:
        described = {"Content-Type": "application/json", **headers}
        response = alice.generic(
            "POST", path(alice, dimension), json_bytes(one(dimension)), described["Content-Type"], headers=described
        )
        assert refusal(response) == (status, code)
        assert elements(alice, dimension) == []


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "EMPTY_BODY"),
        (b" \n", "EMPTY_BODY"),
        (b"{", "INVALID_JSON"),
        (b'{"post": [}', "INVALID_JSON"),
        (b'{"post": []} {}', "INVALID_JSON"),
        (b"[]", "INVALID"),
        (b"null", "INVALID"),
        (b"{}", "REQUIRED"),
        (b'{"post": {}}', "INVALID"),
        (b'{"delete": [], "put": []}', "UNKNOWN_MEMBER"),
        (b'{"post": [], "post": []}', "DUPLICATE_KEY"),
    ],
)
def test_another_body_than_a_bulk_save_is_refused(alice, body, code):
    """With the reason."""
    for dimension in DIMENSIONS:
        report = refused(send(alice, dimension, body))
        assert [error["code"] for error in report["errors"]] == [code]


@pytest.mark.contract("B3")
def test_bodies_may_be_compressed_and_begin_with_a_byte_order_mark(alice):
    """As programs send them."""
    body = codecs.BOM_UTF8 + json_bytes({"post": [account("1", documentationLink="日本")]})

    (saved,) = read(send(alice, "account", gzip.compress(body), Content_Encoding="gzip"))

    assert saved["documentationLink"] == "日本"
    refused(send(alice, "account", gzip.compress(body)[:-3], Content_Encoding="gzip"))


@pytest.mark.contract("B3")
@pytest.mark.parametrize("element", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_hostile_element_is_refused_like_any_other_error(alice, dimension, element):
    """In whichever operation it stands: 400 with a sentence, never a failure of the service; nothing is saved."""
    save(alice, dimension, post=[MAKERS[dimension]("old")])
    before = elements(alice, dimension)
    for body in (
        element,
        b'{"post":[' + element + b"]}",
        b'{"put":[' + json_bytes(MAKERS[dimension]("new")) + b"," + element + b"]}",
        b'{"patch":[' + element + b"]}",
        b'{"patch":[{"key":' + element + b',"data":{}}]}',
        b'{"patch":[{"key":{"id":"old"},"data":' + element.replace(b'"EUR"', b'"old"') + b"}]}",
        *([] if element == b"null" else [b'{"saveMode":' + element + b',"post":[]}']),  # null means absent
    ):
        report = refused(send(alice, dimension, body))
        assert all(error["message"] for error in report["errors"]), body[:100]
    assert elements(alice, dimension) == before


@pytest.mark.contract("E1")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_more_elements_than_are_accepted_are_refused(alice, dimension, settings):
    """All operations count together."""
    settings.API_MAX_BULK_ELEMENTS = 3
    make = MAKERS[dimension]
    save(alice, dimension, post=[make("1"), make("2")], put=[make("3")])

    (error,) = refused(send(alice, dimension, {"post": [make("4"), make("5")], "put": [make("6")], "patch": [5]}))[
        "errors"
    ]

    assert (error["path"], error["code"]) == ("", "TOO_MANY_ELEMENTS")
    assert "more than 3 elements" in error["message"]
    assert len(elements(alice, dimension)) == 3


@pytest.mark.contract("B3")
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_body_larger_than_is_accepted_is_refused(alice, dimension, settings):
    """The limit is that of bulk bodies; it applies to the decompressed body."""
    body = json_bytes({"post": [MAKERS[dimension](f"{number}") for number in range(50)]})
    settings.API_MAX_BODY_SIZE = 1_024
    settings.API_MAX_BULK_BODY_SIZE = len(body) - 1

    assert refusal(send(alice, dimension, body)) == (413, "BODY_TOO_LARGE")
    assert refusal(send(alice, dimension, gzip.compress(body), Content_Encoding="gzip")) == (413, "BODY_TOO_LARGE")

    settings.API_MAX_BULK_BODY_SIZE = len(body)
    content(send(alice, dimension, body))
    assert len(elements(alice, dimension)) == 50


def test_the_report_names_no_place_twice_for_one_error(alice):
    """An error is reported once, however it was found."""
    report = refused(send(alice, "account", {"post": [account("1", rules={"x": 1}, restrictions=[])]}))

    assert len(places(report)) == len(set(places(report))) == 2
