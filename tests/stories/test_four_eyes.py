"""A local accountant asks for changes of the chart, and the chart team approves or rejects them (contract O4)."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, follow
from tests.stories.pages import choose_all_found, clicks, go, open_account, press

pytestmark = pytest.mark.contract("O3", "O4")
NAME = "Bank of Riga"


@pytest.fixture
def polly(enter: Callable[[str], Page]) -> Page:
    """The browser of the accountant, who may only propose."""
    return enter("polly")


@pytest.fixture
def carol(enter: Callable[[str], Page]) -> Page:
    """The browser of the manager of the chart."""
    return enter("carol")


def ask_for(page: Page, id: str, name: str = NAME) -> None:
    """Propose a new account."""
    go(page, "Accounts")
    follow(page.get_by_role("link", name="Add account").first)
    page.get_by_role("textbox", name="Id required").fill(id)
    page.locator("[name='descriptions:0:text']").fill(name)
    for label, value in (("nature", "BALANCE_SHEET"), ("type", "NORMAL"), ("conversion.conversionType", "FINAL")):
        page.locator(f"select[name='{label}']").select_option(value)
    follow(page.get_by_role("button", name="Propose"))
    expect(page.get_by_text("It waits for the approval of a second person.")).to_be_visible()


def open_waiting(page: Page) -> None:
    """Open the newest proposal of those that wait for the person."""
    page.goto(page.url.partition("/admin/")[0] + "/admin/")
    follow(page.locator("#waiting").get_by_role("link", name="Change proposals that wait for me"))
    follow(page.locator("#result_list tbody a").first)


def test_an_account_is_asked_for_and_approved_in_few_clicks(polly, carol):
    """Four clicks of the accountant, choices in lists aside, and three of the manager; then the account is there."""
    ask_for(polly, "1850")
    # The three choices in lists belong to the form, as in every save.
    assert clicks(polly) - 3 <= 3
    expect(polly.get_by_role("button", name="Approve", exact=True)).to_be_hidden()
    expect(polly.get_by_text("so another person must approve or reject it")).to_be_visible()
    open_waiting(carol)
    expect(carol.get_by_text(NAME).first).to_be_visible()
    follow(carol.get_by_role("button", name="Approve and apply"))
    expect(carol.get_by_text("The change proposal was approved and applied.")).to_be_visible()
    assert clicks(carol) <= 3
    open_account(polly, "1850")
    expect(polly.locator("[name='descriptions:0:text']")).to_have_value(NAME)


def test_a_rejected_proposal_says_why_and_is_made_again(polly, carol):
    """Without a text nothing is rejected, and what is typed stays."""
    ask_for(polly, "1851")
    open_waiting(carol)
    follow(carol.get_by_role("button", name="Reject", exact=True))
    expect(carol.get_by_text("Say why you reject it: its author reads this.")).to_be_visible()
    carol.get_by_label("Remark").fill("Use 1852, please.")
    follow(carol.get_by_role("button", name="Reject", exact=True))
    expect(carol.get_by_text("The change proposal was rejected.").first).to_be_visible()
    polly.reload()
    expect(polly.get_by_text("Use 1852, please.")).to_be_visible()
    ask_for(polly, "1852")
    open_waiting(carol)
    follow(carol.get_by_role("button", name="Approve and apply"))
    open_account(polly, "1852")


def test_an_import_of_300_is_proposed_and_approved(polly, carol, tmp_path):
    file = tmp_path / "chart.csv"
    rows = (f"IMP{number:03},Imported {number},BALANCE_SHEET,NORMAL,FINAL" for number in range(300))
    file.write_text("\n".join(["id,descriptions.en,nature,type,conversion.conversionType", *rows]))
    go(polly, "Accounts")
    press(polly, "Import")
    polly.locator("input[type=file]").set_input_files(file)
    follow(polly.get_by_role("button", name="Upload", exact=True))
    follow(polly.get_by_role("button", name="Check the file"))
    polly.get_by_role("button", name="Propose").click()
    expect(polly.get_by_role("heading", name="Change proposal for Fabrikam works")).to_be_visible()
    expect(polly.get_by_text("to be created: 300")).to_be_visible()
    open_waiting(carol)
    follow(carol.get_by_role("button", name="Approve and apply"))
    expect(carol.get_by_text("created: 300")).to_be_visible()

    # The deletion of what was imported is proposed, too.
    choose_all_found(polly, "Imported")
    expect(polly.get_by_text("You propose to delete 300 from the repository Fabrikam works.")).to_be_visible()
    follow(polly.get_by_role("button", name="Propose"))
    open_waiting(carol)
    follow(carol.get_by_role("button", name="Approve and apply"))
    expect(carol.get_by_text("deleted: 300")).to_be_visible()


def test_a_manager_decides_on_a_phone_in_german(polly, carol):
    """Nothing is wider than the phone; the words are German."""
    ask_for(polly, "1853", "Bank of Tartu")
    address = polly.url
    carol.set_viewport_size({"width": WIDTHS["phone"], "height": 844})
    carol.context.add_cookies([{"name": "django_language", "value": "de", "domain": "127.0.0.1", "path": "/"}])
    try:
        carol.goto(address)
        expect(carol.get_by_text("wartet auf Genehmigung")).to_be_visible()
        assert carol.evaluate("document.documentElement.scrollWidth") <= WIDTHS["phone"]
        button = carol.get_by_role("button", name="Genehmigen und anwenden")
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 24
        follow(button)
        expect(carol.get_by_text("Der Änderungsvorschlag wurde genehmigt und angewendet.")).to_be_visible()
    finally:
        carol.context.clear_cookies(name="django_language")
        carol.set_viewport_size({"width": 1280, "height": 900})
    open_account(polly, "1853")
