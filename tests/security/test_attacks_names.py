"""Names that climb out of folders or end lines are just names: no file is read or written, and no header is added."""

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

pytestmark = pytest.mark.contract("A3", "B2", "B3")

# Ends of lines as bytes and as letters that some take for them, and what would be a header of its own behind.
BREAKS = (
    "\r\nX-Evil: 1", "\nX-Evil: 1", "\rX-Evil: 1", "\r\n\r\n<script>alert(1)</script>", "\x00X-Evil: 1",
    "\x0bX-Evil: 1", "\u2028X-Evil: 1", "\u0085X-Evil: 1",
    "\u560d\u560aX-Evil: 1", "%0d%0aX-Evil: 1", "\\r\\nX-Evil: 1",
)  # fmt: skip
CLIMBS = (
    "../../../../../../etc/passwd",
    "..\\..\\..\\windows\\win.ini",
    "/etc/passwd",
    "....//....//etc/passwd",
    "..;/..;/etc/passwd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%c0%af..%c0%afetc/passwd",
    "file:///etc/passwd",
    "./manage.py",
    "dimensions_site/settings.py",
    "C:\\boot.ini",
    "..／..／etc／passwd",
)
# What is in those files and in ours.
CONTENTS = ("root:", "[fonts]", "SECRET_KEY", "DJANGO_SETTINGS_MODULE")


def check_headers(answer) -> None:
    """No header has an end of a line in it, and none is there that the service does not send."""
    for name, value in answer.headers.items():
        assert value.isprintable(), (name, value)
        assert name.lower() != "x-evil"
        value.encode("latin-1")


def check(answer) -> None:
    """Nor does the content come from a file that nobody may read."""
    check_headers(answer)
    text = content(answer).decode("utf-8", "replace")
    assert [word for word in CONTENTS if word in text] == []


@pytest.mark.parametrize("name", BREAKS + CLIMBS)
def test_an_address_is_a_name_wherever_it_stands(alice, name):
    """302, 400 or 404: in the place of a repository, below it, among static files, pages, documents and parameters."""
    for sent in {name, quote(name, safe=""), quote(quote(name, safe=""), safe="")} - set(BREAKS):
        for address in (
            alice.currency(db_id=sent),
            alice.currency(f"elements/{sent}"),
            alice.account(f"elements-bulk-delete-async/{sent}"),
            alice.currency(f"elements?{sent}={sent}"),
            f"/static/{sent}",
            f"/static/site/{sent}",
            f"/static/admin/css/{sent}",
            f"/docs/{sent}",
            f"/openapi/{sent}",
            f"/admin/{sent}",
            f"/admin/?next={sent}",
            f"/{sent}",
        ):
            answer = alice.get(address)
            assert answer.status_code in (302, 400, 404), (address, answer.status_code)
            check(answer)


@pytest.mark.parametrize("header", ["X-Request-ID", "Idempotency-Key", "Prefer", "If-None-Match", "Accept", "Origin"])
def test_what_a_header_says_comes_back_as_one_value_or_not_at_all(alice, header):
    """In a success and in a refusal. No server lets such headers through; behind another one it might come to that."""
    for text in BREAKS:
        for method, rest in (("GET", "elements"), ("GET", "elements/none"), ("POST", "elements")):
            answer = alice.send(method, alice.currency(rest), currency(), **{header: f"id{text}"})
            check(answer)
            assert text not in answer["X-Request-ID"]


@pytest.mark.parametrize(
    "name",
    [
        *(f"a{text}.csv" for text in BREAKS[::4]),
        *(f"{climb}.csv" for climb in CLIMBS[::4]),
        *('a"; filename="evil.exe', "a.csv; x=y", "ä😀.csv"),
    ],
)
def test_the_name_of_an_uploaded_file_keeps_no_folders_and_stays_within_a_header(ed, northwind, name):
    """Its content is in the database, and its rejected rows are downloaded under its name."""
    browser = browser_of(ed)
    upload(browser, northwind, "id,descriptions.en\n1,One\n", name=name)
    file_import = FileImport.objects.get()
    assert not {"/", "\\"} & set(file_import.file_name)
    shown = browser.get(at(file_import))
    assert shown.status_code == 200
    check(shown)
    FileImport.objects.update(report={"has_rejects": True})
    download = browser.get(at(file_import, "rejects"))
    assert download.status_code == 200
    check(download)
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
        check_headers(answer)
        assert answer.status_code in (200, 302)
        assert "evil" not in answer.get("Location", "")
