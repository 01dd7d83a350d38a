"""Names that climb out of folders are just names: no unintended file is read or written."""

from urllib.parse import quote

import pytest

from bulkops.models import FileImport
from tests.dimensions_site.administration.files.imports import at, upload
from tests.dimensions_site.administration.site.people import browser_of
from tests.factories import content

pytestmark = pytest.mark.contract("A3", "B3")

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


def tells_a_file(answer) -> list[str]:
    text = content(answer).decode("utf-8", "replace")
    return [word for word in CONTENTS if word in text]


@pytest.mark.parametrize("climb", CLIMBS)
def test_an_address_with_parent_folders_reads_no_file(alice, climb):
    """404 or 400 wherever it stands: below a repository, in its place, among static files, pages and documents."""
    for sent in (climb, quote(climb, safe=""), quote(quote(climb, safe=""), safe="")):
        for address in (
            alice.currency(db_id=sent),
            alice.currency(f"elements/{sent}"),
            alice.account(f"elements-bulk-delete-async/{sent}"),
            f"/static/{sent}",
            f"/static/site/{sent}",
            f"/static/admin/css/{sent}",
            f"/docs/{sent}",
            f"/openapi/{sent}",
            f"/admin/{sent}",
            f"/{sent}",
        ):
            answer = alice.get(address)
            assert answer.status_code in (302, 400, 404), (address, answer.status_code)
            assert not tells_a_file(answer)


@pytest.mark.parametrize("climb", CLIMBS[::4])
def test_an_uploaded_file_keeps_no_folders(ed, northwind, climb):
    """Its content is in the database, and its name is a label without a path."""
    browser = browser_of(ed)
    upload(browser, northwind, "id,descriptions.en\n1,One\n", name=f"{climb}.csv")
    file_import = FileImport.objects.get()
    assert not {"/", "\\"} & set(file_import.file_name)
    assert browser.get(at(file_import)).status_code == 200
    assert tells_a_file(browser.get(at(file_import))) == []
