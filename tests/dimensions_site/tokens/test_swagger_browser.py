"""On the pages of the documents somebody tries operations with a token, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser import signed_in
from tests.dimensions_site.administration.site.people import browser_of
from tests.dimensions_site.tokens.clients import planning_tool, service, tokens_of
from tests.factories import Person

pytestmark = [pytest.mark.contract("G1", "H3"), pytest.mark.django_db(transaction=True)]


def with_jwt(page: Page, secrets: list[str]) -> None:
    """Enter a JSON Web Token."""
    form = page.locator(".auth-container").filter(has_text="jwt (http, Bearer)")
    form.locator("input").fill(secrets[2])
    form.get_by_role("button", name="Apply credentials").click()


def with_client_credentials(page: Page, secrets: list[str]) -> None:
    """Enter id and secret of an application; the page gets the token itself."""
    form: Locator = page.locator(".auth-container").filter(has_text="clientCredentials")
    form.locator("#client_id_clientCredentials").fill(secrets[0])
    form.locator("#client_secret_clientCredentials").fill(secrets[1])
    form.get_by_text("Read elements", exact=True).click()
    form.get_by_role("button", name="Apply given OAuth2 credentials").click()
    expect(form.get_by_role("button", name="Remove authorization")).to_be_visible()


def with_the_word_of_a_person(page: Page, secrets: list[str]) -> None:
    """Enter the id of a public application, and consent in the window that opens."""
    form: Locator = page.locator(".auth-container").filter(has_text="authorizationCode")
    form.locator("#client_id_authorizationCode").fill(secrets[3])
    form.get_by_text("Read elements", exact=True).click()
    with page.expect_popup() as opened:
        form.get_by_role("button", name="Apply given OAuth2 credentials").click()
    with opened.value.expect_event("close"):
        opened.value.get_by_role("button", name="Allow").click()
    expect(form.get_by_role("button", name="Remove authorization")).to_be_visible()


@pytest.mark.parametrize("authorize", [with_jwt, with_client_credentials, with_the_word_of_a_person])
def test_an_operation_is_tried_out_with_a_token(
    visit: Any, alice: Person, live_server: LiveServer, authorize: Callable[[Page, list[str]], None]
) -> None:
    """Nothing of it goes elsewhere, and the content security policy permits it."""
    application, secret = service(alice.user)
    of_the_page, _ = planning_tool(client_type="public", redirect_uris=f"{live_server.url}/auth/oauth2/callback")
    secrets = [application.client_id, secret, tokens_of("alice")["access"], of_the_page.client_id]

    def look(page: Page) -> None:
        page.get_by_role("button", name="Authorize").first.click()
        authorize(page, secrets)
        page.locator(".close-modal").click()
        operation = page.locator("#operations-currency-countCurrencies")
        operation.locator(".opblock-summary-control").click()
        operation.get_by_placeholder("dbID").fill("northwind")
        operation.locator("tr[data-param-name='filter'] input").fill("")
        operation.get_by_role("button", name="Execute").click()
        expect(operation.locator(".live-responses-table .response .response-col_status")).to_contain_text("200")

    visit("/docs/currency", look, storage_state=signed_in(browser_of(alice)))
