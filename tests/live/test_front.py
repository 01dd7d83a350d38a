"""The service behind nginx with TLS, below a prefix of the path.

It uses the files of docs/deploy, and gets the calls of the quick start, by curl, and the pages in a real browser.
"""

import gzip
import json
import os
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import TIMEOUT, Watched, chromium, follow, skip_without_browser
from tests.docs.calls import LACKING, run_calls
from tests.factories import account
from tests.services.database import migrated_database
from tests.services.front import PASSWORD, Front, behind_nginx, filled
from tests.services.service import PROJECT, Service

PREFIX = "/some/prefix"


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """With the database of the documents."""
    folder = tmp_path_factory.mktemp("front")
    with (
        migrated_database(folder, os.environ.get("DATABASE_URL", "")) as url,
        behind_nginx(folder, url, filled(url), PREFIX) as front,
    ):
        yield front


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    skip_without_browser()
    # Nothing here asks Django for the database, so this thread may talk to the browser itself.
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(front: Front, browser: Browser) -> Iterator[Page]:
    """A page of a browser that has not been here before; nothing it loads may fail or come from beside the prefix."""
    # With a context of its own, which keeps nothing of others and ends with it.
    page = browser.new_page(ignore_https_errors=True, viewport={"width": 1280, "height": 900})
    page.set_default_timeout(TIMEOUT)
    watched, failed = Watched(page), []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    yield page
    page.close()
    watched.check("127.0.0.1")
    assert failed == []
    assert [url for url in addresses if not url.startswith((f"{front.https}/", "data:", "blob:"))] == []


def curl(front: Front, address: str, *words: str) -> Any:
    """What curl prints of the answer to a call with the key: the head and the body."""
    return bare_curl(front, address, "-H", f"X-API-Key: {front.key}", *words)


def bare_curl(front: Front, address: str, *words: str) -> Any:
    """The same of a call that brings no credentials but those in the words."""
    command = ["curl", "-sS", "-i", "--cacert", str(front.certificate), *words, address]
    head, _, body = subprocess.run(command, capture_output=True, text=True, check=True).stdout.partition("\n\n")
    return head, body


@pytest.mark.contract("C13", "F1")
@pytest.mark.skipif(LACKING != "", reason=LACKING)
def test_the_first_calls_of_the_readme_get_their_answers(front: Front, tmp_path: Path) -> None:
    """Over https, with a worker that does what waits."""
    deletions = f"{front.https}/api/aih/dimensions/v1/demo/currency/elements-bulk-delete-async"

    def nothing_waits() -> None:
        deadline = time.monotonic() + 60
        while '"RUNNING"' in curl(front, deletions)[1]:
            assert time.monotonic() < deadline
            time.sleep(0.1)

    environment = {
        "CURL_CA_BUNDLE": str(front.certificate),
        "AUTH": f"demo:{PASSWORD}",
        "CURRENCY": f"{front.https}/api/aih/dimensions/v1/demo/currency",
        "ACCOUNT": f"{front.https}/dimensions/v1/demo/account",
        "SERVICE": front.https,
    }
    page = (PROJECT / "docs" / "integrators" / "quick-start.md").read_text("utf-8")
    calls = page.partition("\n## ")[2]  # without the addresses of `make run`
    assert run_calls(calls, environment, tmp_path, after_each=nothing_waits) > 5


@pytest.mark.contract("A3", "C13")
@pytest.mark.skipif(LACKING != "", reason=LACKING)
def test_an_id_with_a_slash_is_written_and_found_where_its_location_says(front: Front) -> None:
    """The percent sign arrives as it was sent, and the prefix precedes the path."""
    elements = f"{front.https}/dimensions/v1/demo/account/elements"
    id = f"10/{time.monotonic_ns()}"
    head, _ = curl(front, elements, "--json", json.dumps(account(id)))
    location = re.search(r"(?m)^Location: (\S+)", head)
    assert location is not None, head
    written = f"{front.https.removesuffix(front.prefix)}{location[1]}"
    assert written == f"{elements}/{id.replace('/', '%2F')}"
    assert json.loads(curl(front, written)[1])["id"] == id


@pytest.mark.contract("H3")
def test_http_is_answered_beside_https(front: Front) -> None:
    """Only over https is a browser instructed to stay there; both carry the headers that protect a page."""
    safe, _ = curl(front, f"{front.https}/")
    plain, _ = curl(front, f"{front.http}/")
    for head in (safe, plain):
        assert "200 OK" in head
        assert "Content-Security-Policy: " in head
    assert "Strict-Transport-Security: max-age=3600" in safe
    assert "Strict-Transport-Security" not in plain
    assert '"status": "ok"' in curl(front, f"{front.http}/health/ready")[1]


SPOOFED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Host": "evil.example.com",
    "Forwarded": "for=203.0.113.9;host=evil.example.com;proto=ftp",
    "X-Real-IP": "203.0.113.9",
    "X-Forwarded-Prefix": "/evil",
}


def test_what_a_client_says_about_itself_changes_nothing(front: Front) -> None:
    """Neither the host nor the scheme, behind nginx or without; the log has the real client address."""
    words = [word for name, value in SPOOFED.items() for word in ("-H", f"{name}: {value}")]
    safe, _ = curl(front, f"{front.https}/admin/", *words, "-H", "X-Forwarded-Proto: http")
    plain, _ = curl(front, f"{front.http}/admin/", *words, "-H", "X-Forwarded-Proto: https")
    for head in (safe, plain):
        assert f"Location: {front.prefix}/admin/login/?next={front.prefix}/admin/" in head
        assert "evil" not in head
    assert "Strict-Transport-Security" in safe
    assert "Strict-Transport-Security" not in plain
    logs = "".join(log.read_text() for log in front.certificate.parent.glob("dimensions-web*.log"))
    assert "127.0.0.1" in logs
    assert "203.0.113.9" not in logs


def test_the_openapi_document_names_the_prefix(front: Front) -> None:
    """A client generated from it calls the right addresses."""
    document = json.loads(curl(front, f"{front.https}/openapi/currency.json")[1])
    assert document.get("servers", []) == [{"url": front.prefix, "description": "This service."}]


@pytest.mark.contract("C16", "M1")
def test_an_element_that_was_read_compressed_is_changed_by_its_tag(front: Front) -> None:
    """It is compressed once, by the service, so that the tag stays strong; a client with the version gets 304."""
    service = Service(urlsplit(front.http).port or 80, -1, front.key, front.certificate.parent)
    elements = f"{front.prefix}/dimensions/v1/demo/account/elements"
    long = {"en": "Budget euro " * 40, "de": "Planeuro für das Jahr " * 40}
    body = account("GZIP", descriptions=long)
    accepting = {"Accept_Encoding": "gzip"}
    assert service.send("POST", elements, body).status == 201
    read = service.send("GET", f"{elements}/GZIP", **accepting)
    assert (read.headers["Content-Encoding"], read.headers["Content-Length"]) == ("gzip", str(len(read.body)))
    assert json.loads(gzip.decompress(read.body))["descriptions"] == long
    tag = read.headers["ETag"]
    assert not tag.startswith("W/")
    assert service.send("GET", f"{elements}/GZIP", If_None_Match=tag, **accepting).status == 304
    assert service.send("PATCH", f"{elements}/GZIP", {"type": "DETAIL"}, If_Match=tag, **accepting).status == 200
    assert service.send("PATCH", f"{elements}/GZIP", {"type": "NORMAL"}, If_Match=tag).status == 412
    listed = service.send("GET", elements, **accepting)
    assert "GZIP" in [element["id"] for element in json.loads(gzip.decompress(listed.body))]


@pytest.mark.contract("G2")
def test_an_accountant_works_in_the_administration(front: Front, page: Page) -> None:
    """From the landing page over the login, in two languages, to a list, an element that is saved, and its history."""
    page.goto(f"{front.https}/")
    follow(page.get_by_role("link", name="Open the admin"))
    assert page.url == f"{front.https}/admin/login/?next={front.prefix}/admin/"
    follow(page.get_by_role("button", name="Deutsch"))
    expect(page.get_by_label("Benutzername")).to_be_visible()
    follow(page.get_by_role("button", name="English"))
    page.get_by_label("Username").fill("demo")
    page.get_by_label("Password").fill(PASSWORD)
    follow(page.get_by_role("button", name="Log in"))
    expect(page.get_by_role("heading", name="Start page")).to_be_visible()
    kept = {cookie["name"]: (cookie["path"], cookie["secure"]) for cookie in page.context.cookies()}
    assert kept == dict.fromkeys(("csrftoken", "sessionid", "django_language", "zone"), (f"{front.prefix}/", True))

    follow(page.get_by_role("navigation").get_by_text("Currencies", exact=True))
    follow(page.get_by_role("link", name="EUR", exact=True))
    page.get_by_label("XBRL content").fill("iso4217:EUR")
    follow(page.get_by_role("button", name="Save and continue editing"))
    expect(page.get_by_text("was saved.")).to_be_visible()
    expect(page.get_by_label("XBRL content")).to_have_value("iso4217:EUR")
    follow(page.get_by_role("link", name="History"))
    expect(page.get_by_text("iso4217:EUR").first).to_be_visible()


@pytest.mark.contract("H3")
def test_an_operation_is_tried_out_in_swagger_ui(front: Front, page: Page) -> None:
    """The page asks the service under its prefix."""
    page.goto(f"{front.https}/docs/currency")
    page.get_by_role("button", name="Authorize").first.click()
    form = page.locator(".auth-container").filter(has_text="X-API-Key")
    form.locator("input").fill(front.key)
    form.get_by_role("button", name="Apply credentials").click()
    page.locator(".close-modal").click()
    operation = page.locator("#operations-currency-getCurrency")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_placeholder("dbID").fill("demo")
    operation.locator("tr[data-param-name='id'] input").fill("EUR")
    operation.locator("tr[data-param-name='If-None-Match'] input").fill("")
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table .response")
    expect(answer.locator(".response-col_status")).to_contain_text("200")


def handshake(front: Front, version: ssl.TLSVersion) -> str | None:
    """The TLS version negotiated with a client that supports up to `version`; raises ssl.SSLError."""
    context = ssl.create_default_context(cafile=str(front.certificate))
    context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, version
    context.set_ciphers("DEFAULT:@SECLEVEL=0")  # otherwise this side would refuse the old versions
    place = ("127.0.0.1", urlsplit(front.https).port or 443)
    with (
        socket.create_connection(place, timeout=30) as connection,
        context.wrap_socket(connection, server_hostname="localhost") as wrapped,
    ):
        return wrapped.version()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_no_version_of_tls_below_1_2_is_spoken(front: Front):
    """1.2 and 1.3 are, so that the refusal is about the version and nothing else."""
    assert handshake(front, ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert handshake(front, ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    with pytest.raises(ssl.SSLError, match=r"(?i)version"):
        handshake(front, ssl.TLSVersion.TLSv1_1)


def test_a_probe_in_http_1_0_needs_no_host(front: Front):
    """nginx passes the host name to the web server, which answers no HTTP/1.0 request without a Host."""
    with socket.create_connection(("127.0.0.1", urlsplit(front.http).port or 80), timeout=30) as connection:
        connection.sendall(f"GET {front.prefix}/health/live HTTP/1.0\r\n\r\n".encode())
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
