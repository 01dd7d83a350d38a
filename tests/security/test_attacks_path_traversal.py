"""Names that climb out of folders are just names: no unintended file is read or written."""

from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command

from account.models import Account
from bulkops.models import FileImport
from tests.bulkops.admin.imports import at, upload
from tests.dimensions_site.site_admin.people import browser_of
from tests.factories import account, content, currency

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


@pytest.mark.contract("C1")
@pytest.mark.parametrize("climb", [climb for climb in CLIMBS if len(climb) < 60])
def test_an_id_that_climbs_is_an_id(alice, climb):
    """It is stored, found and deleted as a text; `..` in the middle of an address is not folded away."""
    for path, new in ((alice.currency, currency), (alice.account, account)):
        address = path(f"elements/{quote(climb, safe='')}")
        created = alice.send("POST", path(), new(climb))
        assert (created.status_code, created["Location"]) == (201, address)
        assert alice.get(address).json()["id"] == climb
        assert alice.get(path("elements/x/../none")).status_code == 404


@pytest.mark.parametrize("climb", CLIMBS)
def test_an_uploaded_file_keeps_no_folders(ed, northwind, climb):
    """Its content is in the database, and its name is a label without a path."""
    browser = browser_of(ed)
    upload(browser, northwind, "id,descriptions.en\n1,One\n", name=f"{climb}.csv")
    file_import = FileImport.objects.get()
    assert not {"/", "\\"} & set(file_import.file_name)
    assert browser.get(at(file_import)).status_code == 200
    assert tells_a_file(browser.get(at(file_import))) == []


def test_an_import_reads_the_file_that_is_named_and_no_other(northwind, tmp_path: Path):
    """What is in its cells is text: no file is included, and no address is called."""
    file = tmp_path / "accounts.csv"
    entity = "<!ENTITY xxe SYSTEM 'file:///etc/passwd'>"
    cells = ("file:///etc/passwd", "@/etc/passwd", "&xxe;", entity, "=cmd|' /C calc'!A0")
    rows = [f'{number},"{cell}",BALANCE_SHEET,NORMAL,FINAL' for number, cell in enumerate(cells)]
    file.write_text("\n".join(["id,descriptions.en,nature,type,conversion.conversionType", *rows, ""]))
    call_command("import_accounts", "northwind", str(file), verbosity=0)
    stored = Account.objects.order_by("element_id").values_list("descriptions", flat=True)
    assert [texts["en"] for texts in stored] == list(cells)


@pytest.mark.parametrize("db_id", ["../northwind", "northwind/../contoso", "..", "/", "northwind%00"])
def test_a_command_takes_no_repository_that_climbs(northwind, tmp_path, db_id):
    """Neither to import into, nor to export from."""
    for command in ("import_accounts", "export_accounts"):
        with pytest.raises(CommandError):
            call_command(command, db_id, str(tmp_path / "accounts.csv"), verbosity=0)
    assert list(tmp_path.iterdir()) == []
