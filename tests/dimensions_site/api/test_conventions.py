"""What every view of the API refuses, in which order, and its responses to HEAD and OPTIONS."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

pytestmark = pytest.mark.urls("tests.dimensions_site.api.echo")

ADDRESS = "/dimensions/v1/r/echo/x"


@pytest.fixture
def alice():
    return APIClient(headers={"X-Name": "alice"})


@pytest.mark.contract("A6")
def test_permission_classes_of_a_view_count_after_its_scope(alice):
    """What REST framework's own permissions refuse is 403, too."""
    assert alice.get("/dimensions/v1/nowhere/forbidden").status_code == 404
    response = alice.delete("/dimensions/v1/r/forbidden")
    assert response.status_code == 403
    assert response.json()["code"] == "PERMISSION_DENIED"


@pytest.mark.contract("A7")
def test_a_parameter_name_of_kilobytes_is_not_repeated_whole(alice):
    """The answer stays readable."""
    error = alice.get(f"{ADDRESS}?{'p' * 10_000}=1").json()["errors"][0]
    assert len(error["path"]) < 200
    assert len(error["message"]) < 300


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
