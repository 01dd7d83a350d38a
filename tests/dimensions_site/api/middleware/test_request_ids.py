"""Each request has an id, by which its answer and its log lines are found."""

import logging
import uuid

import pytest
from django.test import Client

from tests.factories import content, currency

pytestmark = pytest.mark.contract("B2")


@pytest.mark.parametrize("sent", ["a", "A.b:c_d-9", "x" * 128])
def test_a_sane_id_of_the_client_is_kept(alice, sent):
    """In the header, in the body of a refusal, for a streamed list as for one element."""
    for path in (alice.currency(), alice.currency("elements/none"), "/api/nowhere"):
        response = alice.get(path, headers={"X-Request-ID": sent})
        assert response["X-Request-ID"] == sent
        if response.status_code != 200:
            assert response.json()["requestId"] == sent


@pytest.mark.parametrize("sent", ["", " ", "a b", "x" * 129, "a\tb", "a\n", "ä", "a,b", '{"x": 1}', "<script>"])
def test_another_id_is_replaced_by_a_new_one(alice, sent):
    """An id that could break a log line or a page is replaced."""
    first = alice.get(alice.currency("elements/none"), headers={"X-Request-ID": sent})
    second = alice.get(alice.currency("elements/none"), headers={"X-Request-ID": sent})
    assert uuid.UUID(first["X-Request-ID"]) != uuid.UUID(second["X-Request-ID"])
    assert first.json()["requestId"] == first["X-Request-ID"]


@pytest.mark.parametrize("path", ["/", "/health/live", "/admin/login/", "/api/none", "/none"])
def test_every_answer_has_an_id(db, path):
    """Pages, refusals and checks of health alike."""
    assert uuid.UUID(Client(raise_request_exception=False).get(path)["X-Request-ID"])


def test_the_log_lines_of_a_request_carry_its_id(alice, caplog):
    """The log line of every request has id, status and user."""
    with caplog.at_level(logging.INFO):
        content(alice.get(alice.currency(), headers={"X-Request-ID": "trace-me"}))
        alice.send("POST", alice.currency(), currency(), X_Request_ID="trace-me-too")
        Client().get(alice.currency(), headers={"X-Request-ID": "nobody"})
    lines = [record.msg for record in caplog.records if record.name.startswith("django_structlog")]
    finished = [line for line in lines if line["event"] == "request_finished"]
    logged = [(line["request_id"], line["status"], line.get("user")) for line in finished]
    assert logged == [("trace-me", 200, "alice"), ("trace-me-too", 201, "alice"), ("nobody", 401, None)]


def test_log_lines_contain_no_credentials(alice, caplog):
    """Neither a key nor a password is in the log, at its most verbose."""
    with caplog.at_level(logging.DEBUG):
        content(alice.get(alice.currency()))
        Client().get(alice.currency(), headers={"Authorization": "Basic YWxpY2U6d3Jvbmc="})
    text = " ".join(str(record.msg) for record in caplog.records)
    assert "request_finished" in text
    assert alice.defaults["HTTP_X_API_KEY"] not in text
    assert "YWxpY2U6d3Jvbmc=" not in text
