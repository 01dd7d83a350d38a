"""What every view of the API refuses, in which order, and its responses to HEAD and OPTIONS."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

pytestmark = pytest.mark.urls("tests.dimensions_site.api.echo")

ADDRESS = "/dimensions/v1/r/echo/x"
METHODS = "GET, POST, PUT, PATCH, HEAD, OPTIONS"


@pytest.fixture
def alice():
    return APIClient(headers={"X-Name": "alice"})


@pytest.mark.contract("A4")
@pytest.mark.parametrize("method", ["DELETE", "TRACE", "PURGE"])
def test_a_method_that_is_not_listed_is_405_with_allow(alice, method):
    """Unknown methods are among them."""
    response = alice.generic(method, ADDRESS)
    assert response.status_code == 405
    assert response["Allow"] == METHODS
    assert response.json()["code"] == "METHOD_NOT_ALLOWED"
    assert method in response.json()["detail"]


@pytest.mark.contract("A4")
def test_allow_names_the_methods_of_that_address_only(alice):
    """An address that can only be read says so."""
    assert alice.delete("/dimensions/v1/r/careless")["Allow"] == METHODS
    assert alice.options("/dimensions/v1/r/readable")["Allow"] == "GET, HEAD, OPTIONS"
    assert alice.post("/dimensions/v1/r/readable", {}).status_code == 405


@pytest.mark.contract("A6")
def test_permission_classes_of_a_view_count_after_its_scope(alice):
    """What REST framework's own permissions refuse is 403, too."""
    assert alice.get("/dimensions/v1/nowhere/forbidden").status_code == 404
    response = alice.delete("/dimensions/v1/r/forbidden")
    assert response.status_code == 403
    assert response.json()["code"] == "PERMISSION_DENIED"


@pytest.mark.contract("A7")
def test_an_unknown_query_parameter_is_400_naming_the_nearest_known_one(alice):
    """A mistyped filter must never return everything."""
    response = alice.get(ADDRESS, {"fliter": "id==A"})
    assert response.status_code == 400
    assert response.json()["code"] == "UNKNOWN_PARAMETER"
    assert response.json()["errors"][0]["path"] == "fliter"
    assert response.json()["detail"].endswith("Did you mean 'filter'?")


@pytest.mark.contract("A7")
def test_a_parameter_name_of_kilobytes_is_not_repeated_whole(alice):
    """The answer stays readable."""
    error = alice.get(f"{ADDRESS}?{'p' * 10_000}=1").json()["errors"][0]
    assert len(error["path"]) < 200
    assert len(error["message"]) < 300


@pytest.mark.contract("A7", "B1")
def test_all_errors_of_a_query_are_listed(alice):
    """One repeated parameter and two unknown ones."""
    response = alice.get(f"{ADDRESS}?skip=1&Filter=a&skip=2&x&Filter=b")
    assert [(error["path"], error["code"]) for error in response.json()["errors"]] == [
        ("skip", "REPEATED_PARAMETER"),
        ("Filter", "UNKNOWN_PARAMETER"),
        ("x", "UNKNOWN_PARAMETER"),
    ]


@pytest.mark.contract("A7", "B3")
def test_thousands_of_query_parameters_are_400(alice):
    """Django stops counting at ten thousand."""
    response = alice.get(f"{ADDRESS}?" + "&".join(["p=1"] * 10_001))
    assert response.status_code == 400
    assert response.json()["code"] == "TOO_MANY_PARAMETERS"


@pytest.mark.contract("A7")
def test_a_parameter_without_a_value_is_there(alice):
    """What an empty filter means is decided by its reader."""
    assert alice.get(f"{ADDRESS}?filter=&sort").json()["query"] == {"filter": [""], "sort": [""]}


@pytest.mark.contract("B3")
def test_the_charset_of_the_body_does_not_touch_the_query():
    """The query string is UTF-8 whatever Content-Type says."""
    headers = {"X-Name": "alice", "Content-Type": "application/json; charset=latin-1"}
    response = Client().get(f"{ADDRESS}?filter=%C3%A4", headers=headers)
    assert response.json()["query"] == {"filter": ["ä"]}
