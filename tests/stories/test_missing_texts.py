"""An accountant finds the accounts without German texts, keeps the list as a view, and shares it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser import WIDTHS, fits, follow
from tests.services.service import Service
from tests.stories.pages import clicks, go

VIEW = "Missing German texts"


@pytest.fixture
def untranslated(stage, rest) -> Iterator[None]:
    """Two accounts of the profit and loss, and one of the balance sheet, have no German text."""
    for left in rest("elements?filter=descriptions.de=isnull=true"):  # by another story
        _describe(stage.service, left["id"], left["id"])
    texts = {id: rest(f"elements/{id}")["descriptions"]["de"] for id in ("P.60.110", "P.61.110", "A.10.100")}
    for id in texts:
        _describe(stage.service, id, None)
    yield
    for id, text in texts.items():
        _describe(stage.service, id, text)


def _describe(service: Service, id: str, text: str | None) -> None:
    address = f"/dimensions/v1/northwind/account/elements/{id}"
    assert service.send("PATCH", address, {"descriptions": {"de": text}}).status == 200


def ids(page: Page) -> list[str]:
    return page.locator("#result_list tbody .field-element_id").all_inner_texts()


@pytest.mark.contract("D1", "G2")
def test_she_finds_them_in_seven_clicks_and_her_colleague_in_three(untranslated, alice, enter):
    """It was impossible in the browser before. The view opens by default for her alone; all is one click away."""
    go(alice, "Accounts")
    alice.get_by_role("link", name="Add a condition").click()
    alice.get_by_label("Search for a field").fill("nature")
    alice.keyboard.press("Enter")
    alice.get_by_label("Value", exact=True).select_option("Profit and loss")
    follow(alice.get_by_role("button", name="Add the condition"))
    alice.get_by_role("link", name="Add a condition").click()
    alice.get_by_label("Search for a field").fill("german")
    alice.keyboard.press("Enter")
    alice.get_by_label("Condition", exact=True).select_option("is missing")
    follow(alice.get_by_role("button", name="Add the condition"))
    assert ids(alice) == ["P.60.110", "P.61.110"]
    assert clicks(alice) == 7

    alice.get_by_text("Saved view").click()
    follow(alice.get_by_role("link", name="Save as a view"))
    alice.get_by_label("Name").fill(VIEW)
    alice.get_by_label("Shared").click()
    alice.get_by_label("Opens by default").click()
    follow(alice.get_by_role("button", name="Save the view"))
    assert clicks(alice) == 12
    go(alice, "Accounts")
    assert ids(alice) == ["P.60.110", "P.61.110"]
    expect(alice.get_by_role("list", name="Conditions")).to_contain_text("Description (de) is missing")
    alice.set_viewport_size({"width": WIDTHS["phone"], "height": 800})
    assert fits(alice)
    alice.set_viewport_size({"width": WIDTHS["desk"], "height": 900})

    rita = enter("rita")
    go(rita, "Accounts")
    assert len(ids(rita)) > 2
    rita.get_by_text("Saved view").click()
    follow(rita.get_by_role("link", name=VIEW))
    assert ids(rita) == ["P.60.110", "P.61.110"]
    assert clicks(rita) == 3

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
