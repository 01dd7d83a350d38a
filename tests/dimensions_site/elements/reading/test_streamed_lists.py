"""Lists are written while the rows are read."""

from collections.abc import Sequence
from http import HTTPStatus
from io import BytesIO
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import RequestFactory

from dimensions_site.api.rendering import PIECE_TEXTS
from dimensions_site.elements.reading.rendering import Renderer
from dimensions_site.wsgi import application
from tests.factories import Person, currency, read
from tests.storing import store_currencies

pytestmark = pytest.mark.contract("D7")


@pytest.mark.parametrize("rest", ["elements", "elements-fetch?properties=id"])
def test_a_list_is_a_bare_array_in_pieces(alice, northwind, rest):
    """Each piece holds as many elements as are read at a time; nothing announces the length."""
    store_currencies(northwind, *(currency(f"C{number:04}") for number in range(2 * PIECE_TEXTS + 1)))
    response = alice.get(alice.currency(rest))
    assert response.streaming
    assert response["Content-Type"] == "application/json"
    assert "Content-Length" not in response
    pieces = list(response.streaming_content)
    assert [piece.count(b'"id":"C') for piece in pieces] == [PIECE_TEXTS, PIECE_TEXTS, 1, 0]


@pytest.mark.parametrize("rest", ["elements", "elements-fetch?properties=id,referenceCurrency"])
@pytest.mark.parametrize("count", [0, 1, 2, PIECE_TEXTS])
def test_an_array_of_any_length_is_valid_json(alice, northwind, rest, count):
    """No comma too many, also for none and for exactly one piece."""
    store_currencies(northwind, *(currency(f"C{number:04}") for number in range(count)))
    assert len(read(alice.get(alice.currency(rest)))) == count


class Server:
    """A web server's side of the interface: calls the application as gunicorn does and keeps status and headers."""

    status: int
    headers: dict[str, str]

    def request(self, person: Person, method: str, path: str) -> list[bytes]:
        request = RequestFactory().generic(method, path, HTTP_X_API_KEY=person.defaults["HTTP_X_API_KEY"])
        assert isinstance(request, WSGIRequest)
        environ = {**request.environ, "wsgi.input": BytesIO()}
        body = application(environ, self._start)
        pieces = list(body)
        getattr(body, "close", lambda: None)()
        return pieces

    def _start(self, status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
        self.status, self.headers = HTTPStatus(int(status[:3])), dict(headers)


@pytest.mark.contract("A4")
@pytest.mark.django_db(transaction=True)
def test_head_does_not_read_what_it_does_not_send(alice, northwind, monkeypatch):
    """Only the part of a list that determines the status is rendered; the headers are those of GET."""
    store_currencies(northwind, *(currency(f"C{number:03}") for number in range(50)))
    rendered: list[Any] = []
    render = Renderer.written

    def observed(self: Renderer, row: Sequence[Any]) -> str:
        rendered.append(row)
        return render(self, row)

    monkeypatch.setattr(Renderer, "written", observed)
    server = Server()
    assert server.request(alice, "HEAD", alice.currency()) == []
    assert (server.status, server.headers["Content-Type"]) == (200, "application/json")
    assert len(rendered) <= 1
    assert b"".join(server.request(alice, "GET", alice.currency())).count(b'"updateInfo"') == 50
    assert len(rendered) >= 50
