"""What people without a mouse do on the pages of the administration; they see the focus wherever it lands."""

from playwright.sync_api import Page, expect

# What has the focus: its name, as screen readers read it, and whether one sees that it has the focus, by an outline in
# another colour than what is behind. The theme outlines the box around some controls, and within its own controls for
# dates the browser shows the focus. Between the last and the first control the page itself has it.
_FOCUSED = """() => {
  const isClear = (colour) => /, 0\\)$|transparent/.test(colour);
  const behind = (element) => {
    const colour = element ? getComputedStyle(element).backgroundColor : "white";
    return isClear(colour) ? behind(element.parentElement) : colour;
  };
  const isOutlined = (element) => {
    const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(element);
    const ground = behind(outlineOffset.startsWith("-") ? element : element.parentElement);
    return outlineStyle !== "none" && outlineWidth !== "0px" && !isClear(outlineColor) && outlineColor !== ground;
  };
  const control = document.activeElement;
  const isBrowsers = control === document.body || control.type?.startsWith("date");
  const isSeen = isBrowsers || isOutlined(control) || isOutlined(control.parentElement);
  return { name: control.computedName, isSeen, html: control.outerHTML.slice(0, 200) };
}"""


def focused(page: Page) -> str:
    """Return the name of the control that has the focus; fail if nobody sees that it has."""
    found = page.evaluate(_FOCUSED)
    assert found["isSeen"], f"Nobody sees that this has the focus: {found['html']}"
    return str(found["name"])


def tab_to(page: Page, name: str, key: str = "Tab", most: int = 60) -> None:
    """Press the key until the control called `name` has the focus; fail after `most` presses.

    A name with "…" at its end also stands for those that begin so.
    """
    passed = []
    for _ in range(most):
        page.keyboard.press(key)
        passed.append(focused(page))
        if passed[-1] == name or (name.endswith("…") and passed[-1].startswith(name[:-1])):
            expect(page.locator(":focus")).to_be_in_viewport()
            return
    raise AssertionError(f"{most} x {key} do not lead to {name}, but to {passed}")


def follow(page: Page, name: str | None = None, *, key: str = "Tab", most: int = 60) -> None:
    """Go to the control, if it has not got the focus; press Enter, and skip the navigation of the page that opens."""
    if name is not None:
        tab_to(page, name, key, most)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    skip(page)


def skip(page: Page) -> None:
    """Go past the navigation; a page whose address names the content begins there, and others where they want."""
    if page.url.endswith("#content") or page.evaluate("document.activeElement !== document.body"):
        return
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")


def fill(page: Page, name: str, text: str) -> None:
    """Go to the box, and type in place of what is there; in a list of choices, choose by its first letters."""
    tab_to(page, name)
    if page.evaluate("document.activeElement.matches('input:not([type=checkbox]), textarea')"):
        page.keyboard.press("Control+a")
    page.keyboard.type(text)


def go(page: Page, title: str) -> None:
    """Follow the link in the navigation."""
    page.goto(page.url.partition("#")[0])
    follow(page, title)
