"""Screenshots for the guide of administrators: `python -m tests.docs.screenshots FOLDER`, which is emptied first.

They are of a service in real processes with sample data; each is named after what it shows.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect

from tests.browser import TIMEOUT, chromium
from tests.stories.house import FORMER, House, open_house
from tests.stories.pages import choose_all_found, go, log_in, open_account, press, save, search

LEDGER = """\
Konto;descriptions.en;descriptions.de;nature;type;conversion.conversionType
0090;Office furniture;Büromöbel;BALANCE_SHEET;NORMAL;FINAL
0091;Office machines;Büromaschinen;BALANCE_SHEET;NORMAL;FINAL
A.24.120;Cash equivalents;Zahlungsmittel-Äquivalente;BALANCE_SHEET;NORMAL;FINAL
"""


@dataclass
class Album:
    """The open page of somebody, and the folder of its pictures."""

    page: Page
    folder: Path

    def take(self, name: str, height: int = 720, left: int = 0) -> None:
        """A picture of a window of 1,280 pixels and this height, without the given number of pixels at its `left`."""
        self.page.set_viewport_size({"width": 1280, "height": height})
        # A button under the mouse would look different from the others.
        self.page.mouse.move(640, 1)
        self.page.evaluate("document.fonts.ready")
        self.page.screenshot(
            path=self.folder / f"{name}.png",
            clip={"x": left, "y": 0, "width": 1280 - left, "height": height},
            animations="disabled",
            caret="hide",
        )


def opened(browser: Browser, house: House, folder: Path, name: str) -> Album:
    """The album of a person before the sign-in page."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light", reduced_motion="reduce")
    page.set_default_timeout(TIMEOUT)
    page.goto(f"{house.address}/admin/")
    album = Album(page, folder)
    if name == "alice":
        album.take("sign-in", 720)
    log_in(page, name)
    expect(page.get_by_role("heading", name="Start page")).to_be_visible()
    return album


def show_accounts(album: Album) -> None:
    """Finding, reading and editing an account, its history, and restoring a version."""
    page = album.page
    go(page, "Accounts")
    search(page, "Forderungen")
    album.take("list")
    page.get_by_role("button", name="Filters", exact=True).click()
    page.get_by_label("By class").select_option("ASSET")
    album.take("filters", 860, left=900)
    page.get_by_role("button", name="Apply Filters").click()
    press(page, "Export")
    page.get_by_label("Format").select_option("xlsx")
    album.take("export", 560)

    open_account(page, "A.24.100")
    album.take("form", 900)
    page.get_by_label("descriptions it: Text", exact=True).fill("Denaro in cassa")
    page.get_by_role("button", name="Add an entry").first.click()
    page.keyboard.type("es")
    page.keyboard.press("Tab")
    page.keyboard.type("Efectivo en caja")
    album.take("texts", 720)
    page.get_by_role("tab", name="dataEntryAndReporting").click()
    page.get_by_label("startDate").fill("31.01.2026")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_role("alert")).to_be_visible()
    album.take("mistake", 760)
    page.get_by_label("startDate").fill("2026-01-31")
    save(page)
    page.get_by_role("tab", name="About").click()
    expect(page.get_by_text("Used by")).to_be_visible()
    album.take("about", 620)
    press(page, "History")
    album.take("history", 620)
    page.get_by_label("Reason").first.fill("The date was a mistake")
    page.get_by_role("button", name="Restore this version").first.click()
    expect(page.get_by_text("was restored to the version of")).to_be_visible()
    album.take("restored", 820)
    go(page, "Activities")
    album.take("activities", 620)


def show_deletion(album: Album, house: House) -> None:
    """Deleting many accounts while the page updates, and restoring one of them."""
    page = album.page
    choose_all_found(page, "Former account")
    album.take("selection", 600)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_label("Reason").fill("Closed with the old ledger")
    album.take("deletion-question", 620)
    with house.without_worker():
        page.get_by_role("button", name="Delete them").click()
        expect(page.get_by_role("button", name="Stop the deletion")).to_be_visible()
        album.take("deletion", 560)
    expect(page.get_by_text(f"{FORMER} of {FORMER} processed")).to_be_visible()
    go(page, "Deletions")
    album.take("deletions", 560)
    go(page, "Deleted accounts")
    page.get_by_label("Search in the ids").fill("OLD.0042")
    page.get_by_role("button", name="Search", exact=True).click()
    album.take("deleted", 560)
    page.get_by_role("link", name="OLD.0042").click()
    album.take("deleted-version", 620)


def show_import(album: Album) -> None:
    """A file on its way through all steps, and one with errors."""
    page = album.page
    for name, content in (("ledger.csv", LEDGER), ("faulty.csv", LEDGER.replace("NORMAL", "ORDINARY", 2))):
        is_right = name == "ledger.csv"
        go(page, "Accounts")
        press(page, "Import")
        page.locator("[name=file]").set_input_files(
            {"name": name, "mimeType": "text/csv", "buffer": content.encode("windows-1252")}
        )
        if is_right:
            album.take("import-file", 560)
        page.get_by_role("button", name="Upload", exact=True).click()
        page.get_by_label("Konto", exact=True).select_option("id")
        if is_right:
            album.take("import-columns", 1000)
        page.get_by_role("button", name="Check the file").click()
        expect(page.get_by_role("heading", name="The first changes").or_(page.locator("table.errors"))).to_be_visible()
        if is_right:
            page.get_by_label("Reason").fill("Accounts of the new office")
        album.take("import-check" if is_right else "import-errors", 720)
        if is_right:
            page.get_by_role("button", name="Import", exact=True).click()
            expect(page.get_by_text("The import is complete.")).to_be_visible()
            album.take("import-result", 720)


def show_access(album: Album) -> None:
    """A grant, and a new key, whose letters are not shown here."""
    page = album.page
    go(page, "Access grants")
    album.take("grants", 880)
    go(page, "API keys")
    page.locator("a[href$='/apikey/add/']").first.click()
    page.get_by_label("Name").fill("Data warehouse")
    page.locator(".field-user .select2-selection").click()
    page.get_by_role("searchbox").last.fill("rita")
    page.get_by_role("option", name="rita").click()
    album.take("key-form", 880)
    page.get_by_role("button", name="Save", exact=True).click()
    told = page.get_by_text("copy it now, it is not shown again")
    expect(told).to_be_visible()
    hide = "place => place.innerHTML = place.innerHTML.replace(/(key is )\\S+/, '$1PREFIX.SECRET')"
    told.evaluate(hide)
    page.locator("#result_list").evaluate(
        "list => list.querySelectorAll('.field-prefix').forEach(cell => cell.textContent = 'PREFIX')"
    )
    album.take("key", 880)


def main(folder: Path) -> None:
    """Take all pictures anew."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in folder.glob("*.png"):
        picture.unlink()
    with TemporaryDirectory() as place, open_house(Path(place), "sqlite://") as house, chromium() as browser:
        album = opened(browser, house, folder, "alice")
        show_accounts(album)
        show_import(album)
        show_deletion(album, house)
        go(album.page, "Start page")
        album.take("start-page")
        show_access(opened(browser, house, folder, "root"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
