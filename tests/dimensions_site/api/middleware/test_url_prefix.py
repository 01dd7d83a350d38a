"""The service under a prefix of the path, which a proxy takes off or passes on."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory
from django.urls import get_resolver, set_script_prefix

from dimensions_site import environment as env
from dimensions_site.api.middleware.addresses import FIRST_SEGMENTS
from dimensions_site.wsgi import application
from tests.factories import Person, account, json_bytes

# The entry point closes the connection to the database, within whatever transaction.
pytestmark = pytest.mark.django_db(transaction=True)

PREFIX = "/some/prefix"


@pytest.fixture
def ask(settings: Any, alice: Person) -> Iterator[Callable[..., Any]]:
    """Sends a request to the server's entry point, as the proxy passes it, for Alice; returns status, headers, body."""
    # What is built from the prefix when the addresses are loaded would otherwise stay for all later tests.
    assert get_resolver().url_patterns
    settings.URL_PREFIX = settings.FORCE_SCRIPT_NAME = PREFIX
    settings.STATIC_URL = f"{PREFIX}/static/"

    def ask(method: str, path: str, body: Any = None, **headers: str) -> tuple[str, dict[str, str], str]:
        answer: list[Any] = []
        sent = {"x-api-key": alice.defaults["HTTP_X_API_KEY"], **headers}
        request = RequestFactory().generic(
            method, path, b"" if body is None else json_bytes(body), content_type="application/json", headers=sent
        )
        # The factory has already put the path that the settings require in there.
        environ = {**request.environ, "PATH_INFO": path, "SCRIPT_NAME": ""}

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Callable[[bytes], object]:
            answer.extend((status, dict(headers)))
            return lambda part: None

        response = application(environ, start)
        text = b"".join(response).decode()
        getattr(response, "close", lambda: None)()
        return answer[0], answer[1], text

    yield ask
    set_script_prefix("/")  # the entry point leaves its own in the thread


@pytest.mark.contract("C13")
@pytest.mark.parametrize("passed_on", [PREFIX, ""], ids=["passed on", "taken off"])
def test_a_location_has_the_prefix(ask: Callable[..., Any], passed_on: str) -> None:
    """Whether the proxy takes it off or not."""
    elements = "/dimensions/v1/northwind/account/elements"
    status, headers, _ = ask("POST", f"{passed_on}{elements}", account("10/00"))
    assert (status, headers["Location"]) == ("201 Created", f"{PREFIX}{elements}/10%2F00")


def test_the_prefix_alone_is_the_landing_page(ask: Callable[..., Any]) -> None:
    """With a slash behind it and without."""
    for path in (PREFIX, f"{PREFIX}/"):
        status, _, text = ask("GET", path)
        assert status == "200 OK"
        assert "<h1>Accounts and currencies</h1>" in text


def test_a_path_that_only_looks_like_the_prefix_is_not_one(ask: Callable[..., Any]) -> None:
    """The prefix ends where a segment ends."""
    assert ask("GET", f"{PREFIX}es/")[0] == "404 Not Found"
    assert ask("GET", f"{PREFIX}{PREFIX}/")[0] == "404 Not Found"


@pytest.mark.contract("B1")
def test_what_belongs_to_the_api_does_so_under_the_prefix_too(ask: Callable[..., Any]) -> None:
    """Errors are problem documents there."""
    status, headers, _ = ask("GET", f"{PREFIX}/dimensions/nowhere")
    assert (status, headers["Content-Type"]) == ("404 Not Found", "application/problem+json")


# --- The setting -------------------------------------------------------------------------------


def test_no_address_of_the_service_begins_like_a_prefix() -> None:
    """Otherwise it would be unclear whether the proxy has removed it."""
    found = {str(pattern.pattern).partition("/")[0] for pattern in get_resolver().url_patterns}
    assert found - {""} <= FIRST_SEGMENTS


@pytest.mark.parametrize("value", ["", "/erp", "/some/prefix", "/a.b/~c_d-e"])
def test_a_path_is_read(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """An empty one means no prefix."""
    monkeypatch.setenv("URL_PREFIX", value)
    assert env.path_prefix("URL_PREFIX", default="", taken=FIRST_SEGMENTS) == value


@pytest.mark.parametrize(
    "value",
    ["/", "erp", "/erp/", "//erp", "/erp//x", "/erp/../x", "/.", "/some prefix", "/größe", "/a%20b", "/a?b", "/a\n"],
)
def test_an_invalid_path_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """The sentence says what is expected."""
    monkeypatch.setenv("URL_PREFIX", value)
    with pytest.raises(ImproperlyConfigured, match="it has to be empty, or a path like /some/prefix"):
        env.path_prefix("URL_PREFIX", default="", taken=FIRST_SEGMENTS)


@pytest.mark.parametrize("value", ["/dimensions", "/api/erp", "/admin"])
def test_a_prefix_that_begins_like_an_address_of_the_service_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """It names the taken segment."""
    monkeypatch.setenv("URL_PREFIX", value)
    with pytest.raises(ImproperlyConfigured, match=f"/{value.split('/')[1]} is an address of the service itself"):
        env.path_prefix("URL_PREFIX", default="", taken=FIRST_SEGMENTS)
