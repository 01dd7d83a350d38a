"""Screenshots for the guide of administrators: `python -m tests.docs.screenshots FOLDER`, which is emptied first.

They are of a service in real processes with sample data; each is named after what it shows.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect

from tests.browser import TIMEOUT, chromium, follow
from tests.stories.pages import choose_all_found, go, log_in, open_account, press, save
from tests.stories.stage import Stage, open_stage

LEDGER = """\
Konto;descriptions.en;descriptions.de;nature;type;conversion.conversionType
0090;Office furniture;Büromöbel;BALANCE_SHEET;NORMAL;FINAL
0091;Office machines;Büromaschinen;BALANCE_SHEET;NORMAL;FINAL
A.24.120;Cash equivalents;Zahlungsmittel-Äquivalente;BALANCE_SHEET;NORMAL;FINAL
"""


MISSING = "filter=nature%3D%3DBALANCE_SHEET%3Bdescriptions.fr%3Disnull%3Dtrue"


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


def opened(browser: Browser, stage: Stage, folder: Path, name: str) -> Album:
    """The album of a person before the sign-in page."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light", reduced_motion="reduce")
    page.set_default_timeout(TIMEOUT)
    page.goto(f"{stage.address}/admin/")
    album = Album(page, folder)
    log_in(page, name)
    expect(page.get_by_role("heading", name="Start page")).to_be_visible()
    return album


def show_accounts(album: Album) -> None:
    """Finding, reading and editing an account, its history, restoring a version, and the plan of an undo."""
    page = album.page
    go(page, "Accounts")
    page.goto(page.url.partition("?")[0] + f"?{MISSING}")
    album.take("list")
    page.goto(page.url.partition("?")[0] + "table/?q=A.24")
    expect(page.get_by_role("gridcell", name="Kassenbestand")).to_be_visible()
    album.take("table", 560)

    open_account(page, "A.24.100")
    album.take("form", 900)
    page.get_by_label("Description Italian (it)", exact=True).fill("Denaro in cassa")
    page.get_by_role("tab", name="Data entry and reporting").click()
    page.get_by_label("Valid from", exact=True).fill("31.02.2026")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_role("alert")).to_be_visible()
    album.take("error", 760)
    page.get_by_label("Valid from", exact=True).fill("2026-01-31")
    save(page)
    press(page, "History")
    album.take("history", 620)
    follow(page.get_by_role("link", name="Restore…").first)
    page.get_by_label("Reason").fill("The date was a mistake")
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.get_by_text("was restored to the version of")).to_be_visible()
    go(page, "Change log")
    follow(page.locator("#result_list tbody a").first)
    follow(page.get_by_role("button", name="Undo…"))
    expect(page.get_by_role("status")).to_contain_text("Nothing is changed yet.")
    album.take("plan", 720)


def show_deletion(album: Album) -> None:
    """The question before many accounts are deleted."""
    page = album.page
    choose_all_found(page, "Former account")
    page.get_by_label("Reason").fill("Closed with the old ledger")
    album.take("deletion-question", 620)


def show_import(album: Album) -> None:
    """The columns of a file, and the check of one with errors."""
    page = album.page
    for name, content in (("ledger.csv", LEDGER), ("faulty.csv", LEDGER.replace("NORMAL", "ORDINARY", 2))):
        is_right = name == "ledger.csv"
        go(page, "Accounts")
        press(page, "Import")
        page.locator("[name=file]").set_input_files(
            {"name": name, "mimeType": "text/csv", "buffer": content.encode("windows-1252")}
        )
        page.get_by_role("button", name="Upload", exact=True).click()
        expect(page.get_by_label("Konto", exact=True)).to_have_value("Id")
        if is_right:
            album.take("import-columns", 1000)
        page.get_by_role("button", name="Check the file").click()
        expect(page.locator("dl.counts")).to_be_visible()
        if not is_right:
            album.take("import-errors", 720)


def show_access(album: Album) -> None:
    """A user with grants."""
    page = album.page
    go(page, "Users")
    page.locator("a[href$='/user/add/']").first.click()
    page.get_by_label("Username").fill("rita")
    page.get_by_label("Role").first.select_option("2")
    album.take("user", 900)


def main(folder: Path) -> None:
    """Take all pictures again."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in folder.glob("*.png"):
        picture.unlink()
    with TemporaryDirectory() as place, open_stage(Path(place), "sqlite://") as stage, chromium() as browser:
        album = opened(browser, stage, folder, "alice")
        show_accounts(album)
        show_import(album)
        show_deletion(album)
        album.page.set_viewport_size({"width": 1280, "height": 1000})
        go(album.page, "Start page")
        # What is loaded once it is seen.
        expect(album.page.locator("[data-load] > a")).to_have_count(0)
        album.take("start-page", 1000)
        show_access(opened(browser, stage, folder, "root"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
