"""What keeps people from reading or using a page: what axe finds (WCAG 2.1 A and AA), and what it does not look for."""

from collections.abc import Iterator

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
_AXE = Axe().axe_script
# What moves or fades would be measured half-way. A style of the page itself the content security policy would refuse.
_STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important; }");
  document.adoptedStyleSheets = [sheet];
}"""
# The name of an icon that the font lacks is shown as a word.
_WORDS_FOR_ICONS = """() => [...document.querySelectorAll(".material-symbols-outlined")]
  .filter(icon => icon.checkVisibility() && icon.scrollWidth > 2 * parseFloat(getComputedStyle(icon).fontSize))
  .map(icon => `${icon.textContent.trim()} is no icon of static/site/admin/fonts/icons`)"""
# What reacts to a click and cannot be reached by keyboard, nor contains what can.
_UNREACHABLE = """() => [...document.querySelectorAll("body *")]
  .filter((element) => element.hasAttribute("x-on:click") && element.checkVisibility({ visibilityProperty: true }))
  .filter((element) => element.tabIndex < 0 && !element.querySelector("a[href], button, input, select"))
  .filter((element) => element.id !== "changelist-filter-close")
  .map((element) => `not reached by keyboard: ${element.outerHTML.slice(0, 200)}`)"""
# Boxes that are too small, or without a border that contrasts with their surroundings by 3:1 (WCAG 1.4.11).
_UNSEEN = """() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour, below) => {
    paint.fillStyle = below;
    paint.fillRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue] = paint.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };
  const ground = (element) => element === null ? "rgb(255, 255, 255)"
    : channels(getComputedStyle(element).backgroundColor, ground(element.parentElement));
  const luminance = (colour) => colour.match(/[0-9.]+/g).slice(0, 3)
    .map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  const stands_out = (colour, from) => {
    const [darker, lighter] = [colour, from].map(luminance).sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const boxes = document.querySelectorAll("form[method='post' i] :is(input, select, textarea), .select2-selection");
  return [...boxes]
    .filter((box) => box.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((box) => !["hidden", "submit", "file", "checkbox"].includes(box.type))
    // Other radio buttons are drawn by the browser itself.
    .filter((box) => box.type !== "radio" || getComputedStyle(box).appearance === "none")
    .filter((box) => !box.matches(".select2-hidden-accessible, .select2-search__field"))
    .map((box) => {
      const { width, height } = box.getBoundingClientRect();
      let border = 1;
      // Some boxes have their border from what is drawn closely around them.
      for (let frame = box; frame.offsetHeight <= height + 8; frame = frame.parentElement) {
        const style = getComputedStyle(frame);
        const around = ground(frame.parentElement);
        if (parseFloat(style.borderTopWidth) && style.borderTopStyle !== "none")
          border = Math.max(border, stands_out(channels(style.borderTopColor, around), around));
      }
      return { name: box.name || box.className, round: box.type === "radio", width, height, border };
    })
    .filter(({ round, width, height, border }) => (!round && (height < 24 || width < 40)) || border < 3)
    .map(({ name, width, height, border }) => `hardly seen: ${name}, ${width} x ${height}, ${border.toFixed(2)}:1`);
}"""


def keep_still(page: Page) -> None:
    """Have nothing on the page move or fade, and its fonts be loaded."""
    page.evaluate(_STILL)
    page.evaluate("document.fonts.ready")


def violations(page: Page, rules: list[str] = WCAG, where: str = "html") -> list[str]:
    """Return what axe finds in that part of the page, as it is now."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_AXE)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    found = page.evaluate("async asked => (await axe.run(...asked)).violations", [where, options])
    return [f"{error['id']}: {node['html'][:300]}" for error in found for node in error["nodes"]]


def unusable(page: Page) -> Iterator[str]:
    """Yield what is shown of icons that do not exist, and what only a mouse can click, at the present width."""
    yield from page.evaluate(_WORDS_FOR_ICONS)
    yield from page.evaluate(_UNREACHABLE)


def show_in(page: Page, scheme: str) -> None:
    """Show the page in the colours of the scheme, `light` or `dark`.

    The theme looks at the scheme when the page is loaded; the pages without the theme follow it.
    """
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.evaluate("is => document.documentElement.classList.toggle('dark', is)", scheme == "dark")


def unseen_boxes(page: Page) -> list[str]:
    """Return the boxes of forms, with what can be added to these, that people hardly see, in both schemes."""
    for add in page.locator("[data-add], .add-row a").filter(visible=True).all():
        add.click()
    found: list[str] = []
    for scheme in ("light", "dark"):
        show_in(page, scheme)
        found += (f"{scheme}, {box}" for box in page.evaluate(_UNSEEN))
    return found
