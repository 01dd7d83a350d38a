"""The responses and logs of the web server's process when a request fails before the application sees it."""

import json
import logging
import socket
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import InvalidHeader, InvalidResponseHeader

from dimensions_site.server.worker import WebWorker

SECRET = "hush"


def handled(error: Exception) -> tuple[int, dict]:
    """The status and the problem document with which a worker answers that error."""
    worker = WebWorker.__new__(WebWorker)
    worker.cfg, worker.log = Config(), logging.getLogger("gunicorn.error")
    client, server = socket.socketpair()
    with client, server:
        try:
            raise error
        except Exception as caught:
            request = SimpleNamespace(method="GET", uri=f"/?key={SECRET}")
            worker.handle_error(request, server, ("192.0.2.7", 1), caught)
        head, _, body = client.recv(65_536).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@pytest.mark.contract("B1", "B3")
@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (InvalidHeader(f"X-API-Key {SECRET}"), 400, "Invalid request from ip=192.0.2.7: InvalidHeader"),
        (InvalidResponseHeader("X-Total"), 500, "Error handling request"),
        (KeyError("anything"), 500, "Error handling request"),
    ],
    ids=["header", "response", "anything"],
)
def test_a_failed_request_is_answered_with_a_problem_and_logged_without_its_parts(caplog, error, status, message):
    """A malformed header may be a credential, and a query may hold one."""
    found, problem = handled(error)
    assert (found, problem["status"]) == (status, status)
    assert [record.getMessage() for record in caplog.records] == [message]
    assert SECRET not in message
