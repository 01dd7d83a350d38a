"""Responses outside of views: problem documents under the API's addresses, small pages elsewhere."""

import pytest
from django.test import Client

from tests.dimensions_site.api.echo import SECRET

pytestmark = pytest.mark.urls("tests.dimensions_site.api.echo")


@pytest.fixture
def quiet_client():
    """A client that treats a 500 as a response, as real clients do."""
    return Client(raise_request_exception=False)


@pytest.mark.contract("B1", "B2", "B3")
@pytest.mark.parametrize(
    ("address", "status"), [("/openapi/failing", 500), ("/openapi/locked", 503), ("/openapi/suspicious", 400)]
)
def test_a_failure_outside_rest_framework_is_a_problem(quiet_client, address, status):
    """Nothing of the exception is revealed, and the id of the request leads to the log line."""
    response = quiet_client.get(address)
    assert response.status_code == status
    assert response.json()["requestId"] == response["X-Request-ID"]
    assert SECRET not in response.content.decode()


@pytest.mark.parametrize(
    ("address", "status", "heading"),
    [
        ("/page/failing", 500, "Something went wrong"),
        ("/page/locked", 503, "Busy at the moment"),
        ("/page/suspicious", 400, "Request not understood"),
    ],
)
def test_a_failure_of_a_page_is_a_page(quiet_client, address, status, heading):
    """Plain words, no stack trace."""
    response = quiet_client.get(address)
    assert response.status_code == status
    assert heading in response.content.decode()
    assert SECRET not in response.content.decode()


@pytest.mark.contract("B3")
@pytest.mark.parametrize("address", ["/openapi/locked", "/page/locked"])
def test_a_database_that_cannot_serve_is_worth_another_try(quiet_client, address):
    """503 with the seconds to wait, also where the failure comes from a middleware before any view."""
    response = quiet_client.get(address)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"


@pytest.mark.contract("B1", "B2", "B3")
def test_a_failure_in_a_view_of_the_api_is_a_problem_and_in_the_log(quiet_client, caplog):
    """The client gets the id; the log has it beside the traceback."""
    headers = {"X-Name": "alice", "X-Request-ID": "find-me"}
    response = quiet_client.get("/dimensions/v1/r/failing", headers=headers)
    assert response.status_code == 500
    assert response.json()["requestId"] == "find-me"
    assert SECRET not in response.content.decode()
    lines = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    failed = next(line for line in lines if line["event"] == "request_failed")
    assert failed["request_id"] == "find-me"
    assert failed["exc_info"]
