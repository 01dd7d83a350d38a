"""Who may import what in the admin, and what is hidden from others (contract G2)."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from account.models import Account
from bulkops.models import FileImport, ImportStatus, Plan
from bulkops.worker.tasks import work
from dimensions_site.repositories.models import AccessGrant, Role
from tests.dimensions import MODELS
from tests.dimensions_site.administration.files.imports import (
    CASH,
    HEADINGS,
    SETTINGS,
    at,
    check,
    checked,
    confirm,
    describe,
    save,
    shown,
    upload,
)
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import add_person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("G2")]


def offered(browser: Client, query: str = "") -> list[str]:
    """Where the first step lets the browser's user import."""
    form = browser.get(page(FileImport, "add") + query).context["form"]
    return [text for _, text in form.fields["target"].choices][1:]


def test_a_file_goes_where_the_user_is_editor(ed, bob, northwind, contoso):
    """Readers import nothing; superusers everywhere."""
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.READER)
    AccessGrant.objects.create(user=bob.user, repository=northwind, dimension="currency", role=Role.EDITOR)
    assert offered(browser_of(ed)) == [
        "northwind (Northwind group) · currency",
        "northwind (Northwind group) · account",
    ]
    assert offered(browser_of(bob)) == [
        "contoso (Contoso holding) · currency",
        "northwind (Northwind group) · currency",
        "contoso (Contoso holding) · account",
    ]
    assert len(offered(superuser())) == 4


def test_where_a_file_goes_is_chosen_only_when_it_is_clear(ed, northwind, contoso):
    """An import into the wrong repository would be worse than one more choice."""
    browser = browser_of(ed)

    def proposed(query: str) -> str:
        form = browser.get(page(FileImport, "add") + query).context["form"]
        return str(form.fields["target"].initial)

    assert proposed("?dimension=account") == f"account:{northwind.pk}"
    assert proposed("") == ""
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=Role.EDITOR)
    assert proposed("?dimension=account") == ""


def test_what_comes_from_the_list_of_accounts_is_offered_accounts_first(ed, northwind):
    """Ed has clicked *Import* above the accounts, so accounts come first."""
    assert offered(browser_of(ed), "?dimension=account") == [
        "northwind (Northwind group) · account",
        "northwind (Northwind group) · currency",
    ]


def test_nothing_goes_where_the_user_may_not_import(bob, rita, ed, northwind, contoso):
    """A forged form is refused, and a reader does not even see one."""
    answer = upload(browser_of(bob), northwind, HEADINGS + CASH)
    assert "Select a valid choice" in answer.content.decode()
    assert "northwind" not in answer.content.decode()
    browser = browser_of(rita)
    assert browser.get(page(FileImport, "add")).status_code == 403
    assert upload(browser, northwind, HEADINGS + CASH).status_code == 403
    assert browser.get(page(FileImport)).status_code == 403
    assert not FileImport.objects.exists()


def test_only_who_uploaded_goes_on(ed, alice, northwind):
    """Others with the right to import can view it; a manager can cancel it."""
    file_import = checked(browser_of(ed), northwind, HEADINGS + CASH)
    fred = browser_of(add_person("fred", northwind, Role.EDITOR))
    hers = browser_of(alice)
    for browser in (fred, hers):
        assert "chart.csv" in browser.get(page(FileImport)).content.decode()
        assert at(file_import, "confirm") not in shown(browser, file_import)
        for step in ("columns", "read", "correct", "confirm"):
            assert browser.post(at(file_import, step), SETTINGS).status_code == 403
    assert fred.post(at(file_import, "drop")).status_code == 403
    assert hers.post(at(file_import, "drop")).status_code == 302
    file_import.refresh_from_db()
    assert file_import.status == ImportStatus.ABORTED


def test_an_editor_only_proposes_what_deletes(ed, northwind):
    browser = browser_of(ed)
    upload(browser, northwind, HEADINGS + CASH)
    check(browser, FileImport.objects.get(), mode="sync")
    save(browser, FileImport.objects.get())
    assert not Account.objects.exists()
    assert Plan.objects.get().created == 1


@pytest.mark.parametrize("step", ["check", "import"])
@pytest.mark.parametrize("loss", ["grant", "role", "account of the user", "user"])
def test_rights_are_asked_again_when_a_worker_begins(alice, northwind, step, loss):
    """Whoever lost them meanwhile imports nothing, and the page says why."""
    browser = browser_of(alice)
    if step == "check":
        upload(browser, northwind, HEADINGS + CASH)
        file_import = FileImport.objects.get()
        describe(browser, file_import, mode="sync")
    else:
        file_import = checked(browser, northwind, HEADINGS + CASH, mode="sync")
        confirm(browser, file_import)
    match loss:
        case "grant":
            AccessGrant.objects.all().delete()
        case "role":
            AccessGrant.objects.update(role=Role.READER if step == "check" else Role.EDITOR)
        case "account of the user":
            User.objects.update(is_active=False)
        case "user":
            User.objects.all().delete()
    work()
    file_import.refresh_from_db()
    assert file_import.status == ImportStatus.FAILED
    role = "proposer" if step == "check" else "manager"  # a check writes nothing
    assert file_import.error == (
        f"Nothing was imported: alice may no longer do this. It needs the role {role} for the account dimension of "
        "repository 'northwind'."
    )
    assert not Account.objects.exists()
    assert not file_import.pieces.filter(file="UPLOAD").exists()


@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_the_list_of_elements_leads_to_the_import(ed, rita, northwind, dimension):
    """For those who may import."""
    model = MODELS[dimension]
    first_step = page(model, "import_file")
    assert first_step in browser_of(ed).get(page(model)).content.decode()
    assert first_step not in browser_of(rita).get(page(model)).content.decode()
    answer = browser_of(ed).get(first_step, follow=True)
    assert answer.redirect_chain[-1][0].startswith(page(FileImport, "add"))
    assert browser_of(rita).get(first_step, follow=True).status_code == 403
