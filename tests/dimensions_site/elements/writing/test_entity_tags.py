"""Entity tags: no client overwrites what it has not seen."""

import pytest

from tests.bulkops.save.bulk import refused, without
from tests.factories import account, content, currency, read


@pytest.fixture
def tag(alice):
    """The entity tag of the stored account 1000."""
    return alice.send("POST", alice.account(), account()).headers["ETag"]


@pytest.fixture
def path(alice):
    """The path of the account 1000."""
    return alice.account("elements/1000")


@pytest.mark.contract("C16")
def test_each_response_for_one_element_carries_the_tag_of_its_version(alice, path):
    """It is a strong tag, the same for the same version, and another after a change."""
    created = alice.send("POST", alice.account(), account())
    found = alice.get(path)
    unchanged = alice.send("PUT", path, account())
    changed = alice.send("PATCH", path, {"type": "DETAIL"})

    assert created.headers["ETag"] == found.headers["ETag"] == unchanged.headers["ETag"]
    assert changed.headers["ETag"] == alice.get(path).headers["ETag"] != created.headers["ETag"]
    assert changed.headers["ETag"].startswith('"')


@pytest.mark.contract("C16")
@pytest.mark.parametrize("form", ["{0}", "W/{0}", '"other", {0}', "*"])
def test_a_known_version_is_not_sent_again(alice, tag, path, form):
    """304 without a body, with the tag; weak comparison."""
    response = alice.get(path, headers={"If-None-Match": form.format(tag)})

    assert response.status_code == 304
    assert content(response) == b""
    assert response.headers["ETag"] == tag


@pytest.mark.contract("C16")
@pytest.mark.parametrize("header", ['"other"', 'W/"other"', ""])
def test_an_unknown_version_is_sent(alice, tag, path, header):
    """200 with the element."""
    response = alice.get(path, headers={"If-None-Match": header})

    assert response.status_code == 200
    assert read(response)["id"] == "1000"


@pytest.mark.contract("C16")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("form", ["{0}", '"other", {0}', "*"])
def test_a_write_goes_through_when_the_version_is_the_named_one(alice, tag, path, method, form):
    """`If-Match` holds."""
    response = alice.send(method, path, account(type="DETAIL"), If_Match=form.format(tag))

    assert response.status_code == 200
    assert read(response)["type"] == "DETAIL"


@pytest.mark.contract("C16")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("form", ['"other"', '"other", "third"'])
def test_a_write_is_refused_when_the_version_is_another(alice, tag, path, method, form):
    """412, and the element stays."""
    response = alice.send(method, path, account(type="DETAIL"), If_Match=form.format(tag))

    assert response.status_code == 412
    assert response.json()["code"] == "PRECONDITION_FAILED"
    assert alice.get(path).headers["ETag"] == tag


@pytest.mark.contract("C16", "A6")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("W/{0}", "W/ marks a weak tag, which never holds"),
        ('"other", W/{0}', "W/ marks a weak tag, which never holds"),
        ("{1}", "in double quotes"),
        ("nonsense", "in double quotes"),
        ("{0}, {1}", "in double quotes"),
        ("'{1}'", "in double quotes"),
        ('"{1}', "in double quotes"),
        ("", "in double quotes"),
    ],
)
def test_a_tag_that_never_holds_is_refused(alice, tag, path, method, header, form, words):
    """A client that reads again and retries would do so for ever. It is 400 for an element that is not there, too."""
    sent = form.format(tag, tag.strip('"'))
    body = without(account(type="DETAIL"), "id")
    for element in (path, alice.account("elements/none")):
        report = refused(alice.send(method, element, body, **{header: sent}))
        assert [(error["path"], error["code"]) for error in report["errors"]] == [(header, "INVALID_VALUE")]
        assert words in report["detail"]
    assert alice.get(path).headers["ETag"] == tag


@pytest.mark.contract("C16", "A7")
def test_a_read_refuses_a_tag_without_quotes_except_of_a_currency(alice, tag, path):
    """Reading a currency is never 400; weak tags are for reading (RFC 9110)."""
    alice.send("POST", alice.currency(), currency())
    headers = {"If-None-Match": tag.strip('"')}

    assert "in double quotes" in refused(alice.get(path, headers=headers))["detail"]
    assert refused(alice.get(alice.account("elements/none"), headers=headers))["code"] == "INVALID_VALUE"
    assert alice.get(alice.currency("elements/EUR"), headers=headers).status_code == 200


@pytest.mark.contract("C16")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_write_for_new_elements_only_is_refused_when_there_is_one(alice, tag, path, method):
    """`If-None-Match: *` does not hold."""
    assert alice.send(method, path, account(type="DETAIL"), If_None_Match="*").status_code == 412
    assert alice.get(path).headers["ETag"] == tag


@pytest.mark.contract("C16", "C14")
def test_a_put_can_ask_to_insert_only_or_to_replace_only(alice, path):
    """`If-None-Match: *` inserts; `If-Match: *` inserts nothing."""
    assert alice.send("PUT", path, account(), If_Match="*").status_code == 412
    assert alice.get(path).status_code == 404
    assert alice.send("PUT", path, account(), If_None_Match="*").status_code == 201
