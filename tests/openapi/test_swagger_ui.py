"""Somebody reads the documents in Swagger UI and tries them out as the page comes, after `make run`."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Locator, Page, expect

from dimensions_site.demo.management.commands.run_demo import DB_ID
from dimensions_site.repositories.models import Repository, Role
from tests.factories import add_person
from tests.readable import keep_still, violations

pytestmark = [pytest.mark.contract("H3"), pytest.mark.django_db(transaction=True)]

OPENED = {"currency": ["listCurrencies", "createCurrency"], "account": ["getAccount", "saveAccounts"]}


@pytest.mark.parametrize("dimension", OPENED)
def test_axe_finds_nothing_on_the_page(visit: Any, dimension: str) -> None:
    """With operations closed and opened, and with the dialog for credentials."""

    def look(page: Page) -> list[str]:
        keep_still(page)
        for operation in OPENED[dimension]:
            head = page.locator(f"#operations-{dimension}-{operation} .opblock-summary-control")
            head.click()
            expect(head).to_have_attribute("aria-expanded", "true")
        expect(page.locator("pre.microlight").first).to_be_visible()
        found = violations(page)
        page.get_by_role("button", name="Authorize").first.click()
        expect(page.locator(".auth-container").first).to_be_visible()
        return found + violations(page, where=".dialog-ux")

    assert visit(f"/docs/{dimension}", look) == []


def execute(operation: Locator) -> Locator:
    """Press Execute, and return the status of the answer."""
    operation.get_by_role("button", name="Execute").click()
    return operation.locator(".live-responses-table .response .response-col_status")


@pytest.mark.parametrize(
    ("dimension", "first", "create"),
    [("currency", "getCurrency", "createCurrency"), ("account", "getAccount", "createAccount")],
)
def test_the_first_call_and_each_that_follows_work_as_they_are_filled_in(
    visit: Any, dimension: str, first: str, create: str
) -> None:
    """In the repository of `make run`: somebody enters a key and presses Execute; then creates two elements."""
    demo = add_person("demo", Repository.objects.create(db_id=DB_ID, name="Demo", default_language="en"), Role.MANAGER)
    call_command("fill_repository", DB_ID, stdout=StringIO())

    def look(page: Page) -> None:
        page.get_by_role("button", name="Authorize").first.click()
        form = page.locator(".auth-container").filter(has_text="X-API-Key")
        form.locator("input").fill(demo.defaults["HTTP_X_API_KEY"])
        form.get_by_role("button", name="Apply credentials").click()
        page.locator(".close-modal").click()
        operation = page.locator(f"#operations-{dimension}-{first}")
        operation.locator(".opblock-summary-control").click()
        expect(execute(operation)).to_contain_text("200")
        operation = page.locator(f"#operations-{dimension}-{create}")
        operation.locator(".opblock-summary-control").click()
        expect(execute(operation)).to_contain_text("201")
        body = operation.locator("textarea.body-param__text")
        body.fill(body.input_value().replace('"id": "', '"id": "SECOND-', 1))
        operation.get_by_role("button", name="Clear").click()
        expect(execute(operation)).to_contain_text("201")

    visit(f"/docs/{dimension}", look)
