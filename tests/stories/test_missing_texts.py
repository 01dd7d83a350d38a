"""An accountant finds the accounts without German texts, keeps the list as a view, and shares it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import WIDTHS, fits, follow
from tests.services.service import Service
from tests.stories.pages import go

VIEW = "Missing German texts"


class Clicks:
    """Clicks for somebody, and counts how often."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, target: Locator) -> None:
        self.count += 1
        target.click()

    def to(self, target: Locator) -> None:
        """Click what leads to another page."""
        self.count += 1
        with target.page.expect_navigation():
            target.click()

    def choose(self, target: Locator, label: str) -> None:
        """Open a list of choices, and choose one."""
        self.count += 2
        target.select_option(label)


@pytest.fixture
def untranslated(house, rest) -> Iterator[None]:
    """Two accounts of the profit and loss, and one of the balance sheet, have no German text."""
    texts = {id: rest(f"elements/{id}")["descriptions"]["de"] for id in ("P.60.110", "P.61.110", "A.10.100")}
    for id in texts:
        _describe(house.service, id, None)
    yield
    for id, text in texts.items():
        _describe(house.service, id, text)


def _describe(service: Service, id: str, text: str | None) -> None:
    address = f"/dimensions/v1/northwind/account/elements/{id}"
    assert service.send("PATCH", address, {"descriptions": {"de": text}}).status == 200


def ids(page: Page) -> list[str]:
    return page.locator("#result_list tbody .field-element_id").all_inner_texts()


@pytest.mark.contract("D1", "G2")
def test_she_finds_them_in_a_few_clicks_and_her_colleague_in_two(untranslated, alice, enter):
    """It was impossible in the browser before. The view opens by default for her alone; all is one click away."""
    clicks = Clicks()
    go(alice, "Accounts")
    clicks.on(alice.get_by_role("link", name="Add a condition"))
    alice.get_by_label("Search for a field").fill("nature")
    alice.keyboard.press("Enter")
    clicks.choose(alice.get_by_label("Value", exact=True), "Profit and loss")
    clicks.to(alice.get_by_role("button", name="Add the condition"))
    clicks.on(alice.get_by_role("link", name="Add a condition"))
    alice.get_by_label("Search for a field").fill("german")
    alice.keyboard.press("Enter")
    clicks.choose(alice.get_by_label("Condition", exact=True), "is missing")
    clicks.to(alice.get_by_role("button", name="Add the condition"))
    assert ids(alice) == ["P.60.110", "P.61.110"]
    assert clicks.count == 8

    clicks.to(alice.get_by_role("link", name="Save as a view"))
    alice.get_by_label("Name").fill(VIEW)
    clicks.on(alice.get_by_label("Shared"))
    clicks.on(alice.get_by_label("Opens by default"))
    clicks.to(alice.get_by_role("button", name="Save the view"))
    assert clicks.count == 12
    go(alice, "Accounts")
    assert ids(alice) == ["P.60.110", "P.61.110"]
    expect(alice.get_by_role("list", name="Conditions")).to_contain_text("Description (de) is missing")
    alice.set_viewport_size({"width": WIDTHS["phone"], "height": 800})
    assert fits(alice)
    alice.set_viewport_size({"width": WIDTHS["desk"], "height": 900})

    rita, others = enter("rita"), Clicks()
    go(rita, "Accounts")
    assert len(ids(rita)) > 2
    others.on(rita.get_by_text("Saved view"))
    others.to(rita.get_by_role("link", name=VIEW))
    assert ids(rita) == ["P.60.110", "P.61.110"]
    assert others.count == 2

    bob = enter("bob")
    go(bob, "Accounts")
    bob.get_by_text("Saved view").click()
    expect(bob.get_by_role("link", name=VIEW)).to_have_count(0)

    alice.get_by_text("Saved view").click()
    follow(alice.get_by_role("link", name="All", exact=True))
    assert len(ids(alice)) > 2
    alice.get_by_text("Saved view").click()
    follow(alice.get_by_role("link", name="All views"))
    alice.locator("summary").filter(has_text="Delete").click()
    follow(alice.get_by_role("button", name="Delete this view for good"))
    expect(alice.get_by_text("There are no views yet.")).to_be_visible()
