"""Elements of bulk bodies that are made to break the service."""

import pytest

from tests.bulkops.save.bulk import DIMENSIONS, elements, places, refused, save, send
from tests.dimensions_site.api.test_hostile_requests import BODIES
from tests.factories import MAKERS, account, json_bytes


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


def test_the_report_names_no_place_twice_for_one_error(alice):
    """An error is reported once, however it was found."""
    report = refused(send(alice, "account", {"post": [account("1", rules={"x": 1}, restrictions=[])]}))

    assert len(places(report)) == len(set(places(report))) == 2
