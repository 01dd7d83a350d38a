"""Imports as people do them in the admin: a file is uploaded, described, checked and confirmed."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from bulkops.models import FileImport
from bulkops.worker.tasks import work
from dimensions_site.repositories.models import Repository
from tests.dimensions_site.administration.site.people import page

HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
CASH = "1000,Cash,BALANCE_SHEET,NORMAL,FINAL\n"
BANK = "1010,Bank,BALANCE_SHEET,NORMAL,FINAL\n"
FAULTY = "1020,Loans,NOWHERE,NORMAL,FINAL\n"
SETTINGS = {"mode": "merge", "max_delete": "5%"}


def upload(
    browser: Client, repository: Repository, content: str | bytes, name: str = "chart.csv", dimension: str = "account"
) -> Any:
    """Send the first step; return the page that follows."""
    file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    form = {"target": f"{dimension}:{repository.pk}", "file": file}
    return browser.post(page(FileImport, "add"), form, follow=True)


def at(file_import: FileImport, name: str = "change") -> str:
    """The address of a page of the import."""
    return page(FileImport, name, file_import.pk)


def described(answer: Any, **changed: str) -> dict[str, str]:
    """What the second step sends as its page shows it, but for what is `changed`."""
    form = answer.context["form"]
    sent = {box.name: box.typed for box in (*form.columns.fields, *form.filling.controls)}
    sent |= {f"out-{column.number}": "yes" for column in form.columns.fields if column.is_out}
    return {**sent, **SETTINGS, **changed}


def describe(browser: Client, file_import: FileImport, **changed: str) -> Any:
    """Send the second step; return the page that follows."""
    address = at(file_import, "columns")
    return browser.post(address, described(browser.get(address), **changed), follow=True)


def check(browser: Client, file_import: FileImport, first: Any = None, **changed: str) -> None:
    """Send the second step, whose page may be `first`, let a worker check the file, and read the import again."""
    address = at(file_import, "columns")
    browser.post(address, described(first or browser.get(address), **changed))
    work()
    file_import.refresh_from_db()


def checked(
    browser: Client, repository: Repository, content: str | bytes, dimension: str = "account", **changed: str
) -> FileImport:
    """An import that a worker has checked."""
    first = upload(browser, repository, content, dimension=dimension)
    file_import = FileImport.objects.latest("created_at")
    check(browser, file_import, first, **changed)
    return file_import


def confirm(browser: Client, file_import: FileImport, **sent: str) -> Any:
    """Confirm the import; return the page that follows."""
    return browser.post(at(file_import, "confirm"), sent, follow=True)


def save(browser: Client, file_import: FileImport, **sent: str) -> None:
    """Confirm the import, and let a worker save it."""
    browser.post(at(file_import, "confirm"), sent)
    work()


def shown(browser: Client, file_import: FileImport) -> str:
    """The page of the import."""
    answer = browser.get(at(file_import))
    assert answer.status_code == 200
    text: str = answer.content.decode()
    return text
