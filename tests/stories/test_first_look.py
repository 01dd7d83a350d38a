"""The start page shows what a manager needs first, even while no worker runs."""

import pytest
from playwright.sync_api import expect

from tests.browser import follow
from tests.services.worker import wait_until
from tests.stories.pages import go


@pytest.mark.contract("G2", "F3")
def test_it_shows_holdings_changes_and_work_and_that_the_worker_is_gone(alice, stage, rest):
    """What waits while no worker runs is done as soon as one is there again."""
    address = "/dimensions/v1/northwind/account/elements"
    stage.service.send("POST", address, {**rest("elements/A.24.100"), "id": "A.24.999"})
    go(alice, "Start page")
    repositories = alice.locator("#repositories")
    expect(repositories).to_contain_text("northwind (Northwind group)")
    expect(repositories).to_contain_text(f"{rest('elements-count')} accounts")
    latest = alice.locator("#changes table.sheet-inline tbody tr").first
    expect(latest).to_contain_text("Account A.24.999: 1 created")
    expect(alice.locator("#work")).to_contain_text("A worker is running.")

    with stage.without_worker():
        follow(latest.get_by_role("link"))
        expect(alice.get_by_text("A.24.999").first).to_be_visible()
        stage.service.send("POST", f"{address}-bulk-delete-async", [{"id": "A.24.999"}])
        go(alice, "Start page")
        follow(alice.get_by_role("link", name="Deletion in Northwind group: account"))
        # The page polls, and shows as soon as the worker counts as lost.
        expect(alice.locator("[data-text=status]")).to_contain_text("Waiting: no worker is running.")
        go(alice, "Start page")
        expect(alice.locator("#work")).to_contain_text("No worker is running: deletions and imports wait.")
        follow(alice.get_by_role("link", name="Deletion in Northwind group: account"))
    expect(alice.locator("[data-text=status]")).to_have_text("Completed")

    def shows_the_worker() -> bool:
        go(alice, "Start page")
        return "A worker is running." in alice.locator("#work").inner_text()

    # It reports that itself, a moment after its first work is done.
    wait_until(shows_the_worker, "The start page still shows that no worker is running")
    expect(latest).to_contain_text("1 deleted")
