"""The id of a request: in the answer and in every log line."""

import uuid

import pytest

pytestmark = pytest.mark.urls("tests.dimensions_site.api.echo")


@pytest.mark.contract("B2")
@pytest.mark.parametrize("sane", ["a", "import-2026:07.b_C", "x" * 128])
@pytest.mark.parametrize("address", ["/dimensions/v1/nothing", "/nothing", "/dimensions/v1/r/echo/x"])
def test_a_sane_id_of_the_client_comes_back(client, address, sane):
    """With any answer, pages and errors too."""
    assert client.get(address, headers={"X-Request-ID": sane})["X-Request-ID"] == sane


@pytest.mark.contract("B2")
@pytest.mark.parametrize("odd", ["", "a b", "x" * 129, "a\n", "ä", "{id}", "a,b"])
def test_any_other_id_is_replaced(client, odd):
    """A new UUID is in the header and in the body of the error."""
    response = client.get("/dimensions/v1/nothing", headers={"X-Request-ID": odd})
    assert uuid.UUID(response["X-Request-ID"]).version == 4
    assert response.json()["requestId"] == response["X-Request-ID"]


@pytest.mark.contract("B2")
def test_two_requests_without_an_id_get_different_ones(client):
    """An id identifies one request."""
    first, second = (client.get("/nothing")["X-Request-ID"] for _ in range(2))
    assert first != second


@pytest.mark.contract("B2")
@pytest.mark.parametrize("sent", ["mine", "not sane"])
def test_the_log_line_of_a_request_has_the_id_of_the_answer(client, caplog, sent):
    """Also where the client's id was replaced."""
    with caplog.at_level("INFO"):
        response = client.get("/dimensions/v1/nothing", headers={"X-Request-ID": sent})
    lines = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    finished = [line for line in lines if line["event"] == "request_finished"]
    assert [line["request_id"] for line in finished] == [response["X-Request-ID"]]
