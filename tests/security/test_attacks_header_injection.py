"""What clients send and what comes back in a header stays one value of one header."""

from email.message import Message
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from bulkops.models import FileImport
from tests.dimensions_site.administration.files.imports import at, upload
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import content, currency

pytestmark = pytest.mark.contract("B2", "B3")

# Ends of lines as bytes and as letters that some take for them, and what would be a header of its own behind.
BREAKS = (
    "\r\nX-Evil: 1", "\nX-Evil: 1", "\rX-Evil: 1", "\r\n\r\n<script>alert(1)</script>", "\x00X-Evil: 1",
    "\x0bX-Evil: 1", "\u2028X-Evil: 1", "\u0085X-Evil: 1",
    "\u560d\u560aX-Evil: 1", "%0d%0aX-Evil: 1", "\\r\\nX-Evil: 1",
)  # fmt: skip


def holds_one_line_a_header(answer) -> None:
    """No header has an end of a line in it, and none is there that the service does not send."""
    for name, value in answer.headers.items():
        assert value.isprintable(), (name, value)
        assert name.lower() != "x-evil"
        value.encode("latin-1")


@pytest.mark.parametrize("text", BREAKS)
@pytest.mark.parametrize("header", ["X-Request-ID", "Idempotency-Key", "Prefer", "If-None-Match", "Accept", "Origin"])
def test_what_a_header_says_comes_back_as_one_value_or_not_at_all(alice, header, text):
    """In a success and in a refusal. No server lets such headers through; behind another one it might come to that."""
    for method, rest in (("GET", "elements"), ("GET", "elements/none"), ("POST", "elements")):
        answer = alice.send(method, alice.currency(rest), currency(), **{header: f"id{text}"})
        holds_one_line_a_header(answer)
        content(answer)
        assert text not in answer["X-Request-ID"]


@pytest.mark.parametrize("text", BREAKS)
def test_the_address_comes_back_in_no_header(alice, text):
    """Neither of a repository, nor of an element, a deletion, a parameter, or of a page."""
    encoded = quote(text, safe="")
    for address in (
        alice.currency(db_id=f"northwind{encoded}"),
        alice.currency(f"elements/{encoded}"),
        alice.currency(f"elements-bulk-delete-async/{encoded}"),
        alice.currency(f"elements?{encoded}={encoded}"),
        f"/{encoded}",
        f"/admin/{encoded}/",
        f"/admin/?next={encoded}",
    ):
        holds_one_line_a_header(alice.get(address))


@pytest.mark.parametrize(
    "name", [f"a{text}.csv" for text in BREAKS[::4]] + ['a"; filename="evil.exe', "a.csv; x=y", "ä😀.csv"]
)
def test_the_name_of_an_uploaded_file_stays_within_the_header_of_its_download(ed, northwind, name):
    """The rejected rows of a file are downloaded under its name."""
    browser = browser_of(ed)
    upload(browser, northwind, "id,descriptions.en\n1,One\n", name=name)
    file_import = FileImport.objects.get()
    FileImport.objects.update(report={"has_rejects": True})
    download = browser.get(at(file_import, "rejects"))
    content(download)
    assert download.status_code == 200
    holds_one_line_a_header(download)
    header = Message()
    header["Content-Disposition"] = download["Content-Disposition"]
    # `filename*`, which gives an encoded name, is the same parameter for the reader.
    parameters = [parameter for parameter, _ in header.get_params([], "Content-Disposition")]
    assert parameters == ["attachment", "filename"]


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\r\nX-Evil: 1"]
)
def test_nobody_is_sent_to_another_site(db, target):
    """Neither after signing in nor after choosing a language."""
    User.objects.create_superuser("root", password="root-password")
    browser = Client()
    chosen = browser.post(reverse("set_language"), {"language": "de", "next": target})
    signed_in = browser.post(reverse("admin:login"), {"username": "root", "password": "root-password", "next": target})
    for answer in (chosen, signed_in):
        holds_one_line_a_header(answer)
        assert answer.status_code in (200, 302)
        assert "evil" not in answer.get("Location", "")
