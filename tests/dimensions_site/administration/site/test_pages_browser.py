"""The pages as people see them, in a real browser that reaches nothing but this machine."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, fits


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
