"""The pages as people see them, in a real browser that reaches nothing but this machine."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, fits
from tests.factories import Person, account, currency


@pytest.mark.contract("H3")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_the_landing_page_shows_what_this_is_and_leads_on(visit, width: int, scheme: str) -> None:
    """It fits on a phone and on a desktop, and its colours keep the contrast of WCAG AA in both schemes."""

    def look(page: Page) -> list[str]:
        expect(page.get_by_role("heading", level=1)).to_have_text("Accounts and currencies")
        assert fits(page)
        assert page.evaluate(CONTRAST) >= 4.5
        return [str(link.get_attribute("href")) for link in page.get_by_role("link").all()]

    links = visit("/", look, viewport={"width": width, "height": 800}, color_scheme=scheme)

    assert set(links) == {
        "/docs/currency",
        "/docs/account",
        "/docs/dimensions",
        "/openapi/currency.json",
        "/openapi/currency.yaml",
        "/openapi/account.json",
        "/openapi/account.yaml",
        "/openapi/dimensions.json",
        "/openapi/dimensions.yaml",
        "/admin/",
        "/health/live",
        "/health/ready",
    }


# The smallest contrast between any text on the page and what is behind it (WCAG 2.2, 1.4.3).
CONTRAST = """() => {
  const channels = colour => colour.match(/[0-9.]+/g).map(Number);
  const luminance = colour => channels(colour).slice(0, 3)
    .map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const background = element => {
    const colour = getComputedStyle(element).backgroundColor;
    return channels(colour)[3] === 0 && element.parentElement ? background(element.parentElement) : colour;
  };
  const contrasts = [...document.querySelectorAll("main *")].map(element => {
    const colours = [getComputedStyle(element).color, background(element)];
    const [darker, lighter] = colours.map(luminance).sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  });
  return Math.min(...contrasts);
}"""


@pytest.mark.contract("H3")
@pytest.mark.parametrize(
    ("dimension", "operations"),
    [("currency", ["listCurrencies", "createCurrency"]), ("account", ["listAccounts", "patchAccount"])],
)
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_swagger_ui_shows_the_operations_without_the_internet(
    visit, dimension: str, operations: list[str], width: int
) -> None:
    """Both pages show the operations of their dimension, and load everything from this service."""

    def look(page: Page) -> None:
        for operation in operations:
            expect(page.locator(f"#operations-{dimension}-{operation}")).to_be_visible()
        assert fits(page)

    visit(f"/docs/{dimension}", look, viewport={"width": width, "height": 800})


@pytest.mark.contract("H3", "G1")
@pytest.mark.parametrize(("dimension", "element"), [("currency", currency("EUR/€")), ("account", account("10/00"))])
def test_an_operation_can_be_tried_out_with_an_api_key(visit, alice: Person, dimension: str, element) -> None:
    """Enter an API key, an id with a slash and press Execute: there is the element."""
    alice.send("POST", alice.elements(dimension), element)

    def look(page: Page) -> str:
        page.get_by_role("button", name="Authorize").first.click()
        form = page.locator(".auth-container").filter(has_text="X-API-Key")
        form.locator("input").fill(alice.defaults["HTTP_X_API_KEY"])
        form.get_by_role("button", name="Apply credentials").click()
        page.locator(".close-modal").click()
        operation = page.locator(f"#operations-{dimension}-get{dimension.title()}")
        operation.locator(".opblock-summary-control").click()
        operation.get_by_placeholder("dbID").fill("northwind")
        operation.locator("tr[data-param-name='id'] input").fill(element["id"])
        operation.locator("tr[data-param-name='If-None-Match'] input").fill("")
        operation.get_by_role("button", name="Execute").click()
        answer = operation.locator(".live-responses-table .response")
        expect(answer.locator(".response-col_status")).to_contain_text("200")
        return str(answer.locator(".highlight-code").inner_text())

    assert element["descriptions"]["en"] in visit(f"/docs/{dimension}", look)


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_a_page_that_is_not_there_leads_back(visit, width: int) -> None:
    """A mistyped address shows a page in the style of the others, with a link to the start page."""

    def look(page: Page) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
        assert fits(page)
        page.get_by_role("link", name="To the start page").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Accounts and currencies")

    visit("/doc/currency", look, viewport={"width": width, "height": 800})
