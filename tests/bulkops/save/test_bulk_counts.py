"""A bulk save returns how many elements are new, changed and unchanged, with the elements or without them."""

import pytest

from tests.bulkops.save.bulk import DIMENSIONS, elements, ids, save, send
from tests.factories import MAKERS, content, read

COUNTS = ("X-Created", "X-Changed", "X-Unchanged")
SUCCESS = {"code": "SUCCESS"}


def counts(response):
    content(response)  # read to its end, so that its file is closed
    return tuple(response[name] for name in COUNTS)


@pytest.fixture(params=DIMENSIONS)
def body(request, alice):
    """A dimension, and a body that creates two elements, changes one and leaves one as it is."""
    make = MAKERS[request.param]
    save(alice, request.param, post=[make("1"), make("2")])
    changed = {"key": {"id": "2"}, "data": {"descriptions": {"en": "Another text"}}}
    patch = [{"key": {"id": "1"}, "data": {}}, changed]
    return request.param, {"post": [make("3")], "put": [make("4")], "patch": patch}


@pytest.mark.contract("K2")
@pytest.mark.parametrize("query", ["", "?dryRun=true"])
def test_the_headers_count_what_the_elements_do(alice, body, query):
    """A dry run counts what it would do."""
    dimension, changes = body
    response = send(alice, dimension, changes, query)

    assert (response.status_code, counts(response)) == (200, ("2", "1", "1"))
    assert len(elements(alice, dimension)) == (2 if query else 4)


@pytest.mark.contract("E2", "K2")
def test_what_saves_nothing_counts_nothing(alice, body):
    """An error has no counts: they would look as if something had been saved."""
    dimension, _ = body
    response = send(alice, dimension, {"post": [MAKERS[dimension]("1")]})

    assert response.status_code == 400
    assert not [name for name in COUNTS if name in response]


@pytest.mark.contract("E3", "K2")
@pytest.mark.parametrize(
    ("query", "prefer", "applied"),
    [
        ("", "return=minimal", "return=minimal"),
        ("", 'respond-async, Return="minimal"; x=1', "return=minimal"),
        ("?dryRun=true", "return=minimal", "dryRun, return=minimal"),
    ],
)
def test_a_client_that_needs_no_elements_gets_none(alice, body, query, prefer, applied):
    """The answer of 100,000 saved accounts would be as large as the request."""
    dimension, changes = body
    response = send(alice, dimension, changes, query, prefer=prefer)

    assert (response.status_code, read(response)) == (200, SUCCESS)
    assert (response["Preference-Applied"], counts(response)) == (applied, ("2", "1", "1"))


@pytest.mark.contract("E3", "K2")
@pytest.mark.parametrize("prefer", ["return=representation", "return=minimalist", ""])
def test_other_preferences_are_ignored(alice, body, prefer):
    """RFC 7240 lets a service ignore what it does not know."""
    dimension, changes = body
    response = send(alice, dimension, changes, prefer=prefer)

    assert "Preference-Applied" not in response
    saved = read(response)
    if dimension == "currency":
        assert saved == SUCCESS
    else:
        assert ids(saved) == ["3", "4", "1", "2"]
