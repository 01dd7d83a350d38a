"""An editor without a mouse finds accounts, opens one and imports a file."""

import re

from playwright.sync_api import Page, expect

# The accessible name of the focused control.
FOCUSED = """() => {
  const element = document.activeElement;
  const words = element.ariaLabel || element.labels?.[0]?.innerText || element.innerText || element.name;
  return element.matches(".select2-selection") ? element.getAttribute("aria-labelledby") : words || "";
}"""
FILE = "id,descriptions.en,nature,type,conversion.conversionType\n0097,Keyed in,BALANCE_SHEET,NORMAL,FINAL\n"


def press_until(page: Page, name: str, key: str = "Tab", most: int = 40) -> None:
    """Press the key until the focus is on the visible control called `name`."""
    for _ in range(most):
        page.keyboard.press(key)
        if re.search(rf"(^|\n){re.escape(name)}", page.evaluate(FOCUSED)):
            expect(page.locator(":focus")).to_be_in_viewport()
            return
    raise AssertionError(f"{most} x {key} do not lead to {name}")


def follow(page: Page) -> None:
    """Press the focused control, and wait for the page to which it leads."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


def skip(page: Page) -> None:
    """Go past the navigation; a page whose address names the content begins there."""
    if page.url.endswith("#content"):
        return
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")


def test_he_filters_opens_and_imports_by_keyboard_alone(enter, rest):
    """From the start page to the last step of the wizard; only the system's dialog chooses the file."""
    ed = enter("ed")
    press_until(ed, "Accounts")
    follow(ed)
    skip(ed)
    press_until(ed, "Filters")
    ed.keyboard.press("Enter")
    expect(ed.locator("#changelist-filter :focus")).to_have_count(1)
    press_until(ed, "By Nature")
    ed.keyboard.type("Profit and loss")
    press_until(ed, "Apply Filters")
    follow(ed)
    assert "=PROFIT_AND_LOSS" in ed.url
    skip(ed)
    press_until(ed, "Select P.60.100", most=60)
    ed.keyboard.press("Tab")
    follow(ed)
    skip(ed)
    press_until(ed, "General")
    ed.keyboard.press("ArrowRight")
    expect(ed.get_by_role("tab", name="Conversion")).to_be_focused()
    press_until(ed, "Close", most=60)
    follow(ed)

    skip(ed)
    press_until(ed, "Import", "Shift+Tab")
    follow(ed)
    skip(ed)
    press_until(ed, "Import into")
    expect(ed.locator(":focus option:checked")).to_contain_text("account")
    press_until(ed, "File")
    ed.locator(":focus").set_input_files({"name": "keyed.csv", "mimeType": "text/csv", "buffer": FILE.encode()})
    press_until(ed, "Upload")
    follow(ed)
    for button, told in (("Check the file", "The file has no errors."), ("Import", "The import is complete.")):
        skip(ed)
        press_until(ed, button)
        follow(ed)
        expect(ed.get_by_text(told)).to_be_visible()
    assert rest("elements/0097")["descriptions"] == {"en": "Keyed in"}
