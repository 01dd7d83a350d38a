"""What only a real server shows about single requests."""

import json
import uuid
from urllib.parse import quote

import pytest

from tests.factories import account
from tests.services.service import Service

ELEMENTS = "/dimensions/v1/northwind/account/elements"


@pytest.mark.contract("B3")
def test_a_chunked_body_is_read_like_any_other(service: Service):
    """Programs that do not know the length of a body in advance send it in chunks."""
    text = json.dumps(account("chunked", descriptions={"en": "现金" * 400})).encode()
    chunks = iter([text[start : start + 700] for start in range(0, len(text), 700)])
    answer = service.send("POST", ELEMENTS, chunks)
    assert answer.status == 201
    assert answer.json()["descriptions"] == {"en": "现金" * 400}


@pytest.mark.contract("A3", "C13")
def test_an_id_with_any_letters_is_found_at_its_location(service: Service):
    """Slash, blank, percent sign, plus, semicolon and letters of other scripts pass through the server."""
    answer = service.send("POST", ELEMENTS, account("a/b c%20+;ü现"))
    assert answer.status == 201
    assert service.send("GET", answer.headers["Location"]).json()["id"] == "a/b c%20+;ü现"


@pytest.mark.contract("B2")
def test_the_log_line_of_a_request_has_its_id(service: Service):
    """JSON lines, found by the id that the client got; one of them has the status."""
    sent = f"live-{uuid.uuid4()}"
    answer = service.send("GET", ELEMENTS, X_Request_ID=sent)
    assert answer.headers["X-Request-ID"] == sent
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if sent in line]
    assert {line["request_id"] for line in lines} == {sent}
    assert [line["status"] for line in lines if line["event"] == "request_finished"] == [200]


@pytest.mark.contract("M6")
def test_the_log_begins_with_the_release_that_runs(service: Service):
    """So what follows can be laid beside another release's log."""
    lines = [json.loads(line) for line in service.log.read_text().splitlines()]
    (started,) = [line for line in lines if line["event"] == "web_server_started"]
    assert {name: started[name] for name in ("version", "commit")} == service.send("GET", "/version").json()


@pytest.mark.contract("I2")
def test_the_longest_reason_arrives_and_two_are_refused(service: Service):
    """Percent-encoded it is longer than many servers allow; a comma between two would look like a part of one."""
    reason = "\N{HAMMER AND WRENCH}" * 1_000
    answer = service.send("POST", ELEMENTS, account("reasoned"), Change_Reason=quote(reason))
    assert answer.status == 201
    (version,) = service.send("GET", f"{ELEMENTS}-versions?id=reasoned").json()
    assert version["reason"] == reason
    answer = service.send("PATCH", f"{ELEMENTS}/reasoned", {"type": "DETAIL"}, Change_Reason="a", change_reason="b")
    assert (answer.status, answer.json()["code"]) == (400, "REPEATED_HEADER")
    answer = service.send("PATCH", f"{ELEMENTS}/reasoned", {"type": "DETAIL"}, Change_Reason="a,b, c")
    assert answer.status == 200
