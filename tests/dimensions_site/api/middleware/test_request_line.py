"""Addresses: what cannot be read unambiguously is refused, and never interpreted."""

import pytest
from rest_framework.test import APIClient

from dimensions_site.api.middleware.addresses import query_error

pytestmark = pytest.mark.urls("tests.dimensions_site.api.echo")


@pytest.fixture
def alice():
    return APIClient(headers={"X-Name": "alice"})


@pytest.mark.contract("A3")
@pytest.mark.parametrize("encoded", ["a%20b", "50%25", "a+b", "a%2Fb", "a;b", "%C3%A4", "%e2%82%ac", "~", "a%09b"])
def test_any_well_encoded_text_can_be_read(encoded):
    """Blanks, percent signs, slashes, letters beyond ASCII."""
    assert query_error(encoded) is None


@pytest.mark.contract("B3")
@pytest.mark.parametrize(
    ("encoded", "words"),
    [
        ("%FF", "UTF-8"),
        ("%C3", "UTF-8"),
        ("%ED%A0%80", "UTF-8"),
        ("%C0%80", "UTF-8"),
        ("50%", "percent sign"),
        ("%zz", "percent sign"),
        ("%2", "percent sign"),
        ("a%00", "U+0000"),
        ("a%0Ab", "U+000A"),
        ("%7f", "U+007F"),
        ("\x01", "U+0001"),
    ],
)
def test_what_is_ambiguous_or_unreadable_is_an_error(encoded, words):
    """Broken UTF-8, lone percent signs, control characters: each is named."""
    assert words in str(query_error(encoded))


@pytest.mark.contract("A3")
@pytest.mark.parametrize(
    ("encoded", "name"), [("a%2Fb%20%25%3B+c", "a/b %;+c"), ("%C3%A4", "ä"), ("%25FF", "%FF"), ("a/b", "a/b")]
)
def test_a_readable_path_reaches_the_view_decoded_once(alice, encoded, name):
    """`%25FF` is the text %FF, and not a broken byte."""
    address = f"/dimensions/v1/r/echo/{encoded}"
    assert alice.get(address, RAW_URI=address).json()["path"]["name"] == name


@pytest.mark.contract("B3")
@pytest.mark.parametrize("encoded", ["%FF", "50%"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_unreadable_path_is_404(alice, encoded, method):
    """No element has such a name. Reading a currency has no 400 in the specification."""
    address = f"/dimensions/v1/r/echo/{encoded}"
    response = alice.generic(method, address, RAW_URI=address)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "NOT_FOUND"


@pytest.mark.contract("A6")
def test_an_unreadable_path_is_refused_after_the_client_and_the_method(alice):
    """401, 404 for the repository and 405 come first."""
    address = "/dimensions/v1/{}/echo/%FF"
    assert APIClient().get(address.format("r"), RAW_URI=address.format("r")).status_code == 401
    elsewhere = alice.get(address.format("nowhere"), RAW_URI=address.format("nowhere"))
    assert elsewhere.json()["code"] != "NOT_FOUND"
    assert alice.delete(address.format("r"), RAW_URI=address.format("r")).status_code == 405


@pytest.mark.contract("A6", "A7", "B3")
@pytest.mark.parametrize("query", ["filter=%FF", "filter=50%", "filter=%00", "%zz=1", "sort=a%0Ab"])
def test_an_unreadable_query_is_400_after_the_other_refusals(alice, query):
    """Credentials, repository and method are checked first."""
    response = alice.get(f"/dimensions/v1/r/echo/x?{query}")
    assert response.status_code == 400
    assert response.json()["code"] == "UNREADABLE_QUERY"
    assert alice.get(f"/dimensions/v1/nowhere/echo/x?{query}").status_code == 404
    assert alice.delete(f"/dimensions/v1/r/echo/x?{query}").status_code == 405
    assert APIClient().get(f"/dimensions/v1/r/echo/x?{query}").status_code == 401


@pytest.mark.contract("A7")
def test_a_view_that_ignores_query_parameters_ignores_unreadable_ones_too(alice):
    """Reading one currency never answers 400."""
    assert alice.get("/dimensions/v1/r/careless?a=%FF&b=1&b=2&" + "&".join(["x"] * 2_000)).status_code == 200


@pytest.mark.contract("B1")
def test_an_address_beyond_the_limit_is_414(alice, settings):
    """One byte more than the limit; the limit itself is taken. Pages have no such limit."""
    address = "/dimensions/v1/r/echo/x?filter="
    full = address + "y" * (settings.API_MAX_URL_SIZE - len(address))
    assert alice.get(full).status_code == 200
    response = alice.get(full + "y")
    assert response.status_code == 414
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == "URI_TOO_LONG"
    assert alice.get("/nothing?" + full).status_code == 404
