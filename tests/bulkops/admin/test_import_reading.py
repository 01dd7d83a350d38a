"""How a file is read is shown, and a person changes what was found out."""

import pytest

from account.models import Account
from bulkops.models import FileImport
from bulkops.worker.tasks import work
from tests.bulkops.admin.imports import CASH, HEADINGS, at, confirm, describe, upload
from tests.dimensions_site.site_admin.people import browser_of

pytestmark = pytest.mark.django_db(transaction=True)

RUSSIAN = HEADINGS + CASH.replace("Cash", "Основные средства")


def read(browser, file_import, **sent):
    """Send how the file is to be read; return the page that follows, and the current import."""
    answer = browser.post(at(file_import, "read"), sent, follow=True)
    file_import.refresh_from_db()
    return answer.content.decode()


def test_letters_that_are_not_certain_are_chosen_by_their_looks(ed, northwind):
    """The page says what was taken and shows each possibility; the import saves what was chosen."""
    browser = browser_of(ed)
    text = upload(browser, northwind, RUSSIAN.encode("cp1251")).content.decode()
    file_import = FileImport.objects.get()
    offered = dict(file_import.preview["encodings"])
    assert "Основные средства" in offered["windows-1251"]
    assert len(offered) > 1
    assert all(f'value="{encoding}"' in text for encoding in offered)
    assert "<details open>" in text
    for wrong in ("utf-8", "no-such", "x" * 1000):
        assert "Choose how the letters are stored." in read(browser, file_import, encoding=wrong)
    chosen = next(name for name in offered if name != file_import.preview["encoding"])
    assert f"letters as {chosen}" in read(browser, file_import, encoding=chosen)
    assert "letters as windows-1251" in read(browser, file_import, encoding="windows-1251")
    describe(browser, file_import)
    work()
    confirm(browser, file_import)
    work()
    assert Account.objects.get().descriptions == {"en": "Основные средства"}


@pytest.mark.parametrize("row", ["0", "-1", "1.5", "x", "9999999", "²", "1_0"])
def test_a_row_that_is_none_is_refused(ed, northwind, row):
    """With what was sent; nothing changes."""
    upload(browser_of(ed), northwind, HEADINGS + CASH)
    file_import = FileImport.objects.get()
    before = file_import.preview
    assert f"&#x27;{row}&#x27; is not the number of a row." in read(browser_of(ed), file_import, other_row=row)
    assert file_import.preview == before


def test_only_who_uploaded_the_file_says_how_it_is_read(ed, alice, bob, northwind):
    """And only until the import has begun."""
    upload(browser_of(ed), northwind, HEADINGS + CASH)
    file_import = FileImport.objects.get()
    for caller, status in ((alice, 403), (bob, 404)):
        assert browser_of(caller).post(at(file_import, "read"), {"heading_row": "1"}).status_code in (status, 302)
    describe(browser_of(ed), file_import)
    work()
    confirm(browser_of(ed), file_import)
    work()
    read(browser_of(ed), file_import, heading_row="1")
    assert file_import.status == "COMPLETED"
