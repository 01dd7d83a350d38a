"""A superuser gives people and programs access, and nobody sees what is not theirs."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser import follow
from tests.stories.house import PASSWORD
from tests.stories.pages import go, open_account, press


@pytest.mark.contract("G1", "G2")
def test_a_program_has_access_by_a_key_that_is_shown_once_until_it_is_revoked(root, house):
    """A user, her grant, her key; the key permits what the grant says until it is revoked."""
    go(root, "Users")
    follow(root.locator("a[href='/admin/auth/user/add/']").first)
    root.get_by_label("Username").fill("nina")
    root.get_by_label("Password", exact=True).fill(PASSWORD)
    root.get_by_label("Password confirmation").fill(PASSWORD)
    follow(root.get_by_role("button", name="Save", exact=True))
    expect(root.get_by_text("nina").first).to_be_visible()

    go(root, "Access grants")
    follow(root.locator("a[href='/admin/repositories/accessgrant/add/']").first)
    for label, text in (("Repository", "northwind"), ("User", "nina")):
        root.locator(f".field-{label.lower()} .select2-selection").click()
        root.get_by_role("searchbox").last.fill(text)
        root.get_by_role("option", name=text).click()
    root.get_by_label("Dimension").select_option("account")
    follow(root.get_by_role("button", name="Save", exact=True))
    expect(root.get_by_text("was added successfully")).to_be_visible()

    go(root, "API keys")
    follow(root.locator("a[href='/admin/repositories/apikey/add/']").first)
    root.get_by_label("Name").fill("Data warehouse")
    root.locator(".field-user .select2-selection").click()
    root.get_by_role("searchbox").last.fill("nina")
    root.get_by_role("option", name="nina").click()
    follow(root.get_by_role("button", name="Save", exact=True))
    told = root.get_by_text("copy it now, it is not shown again").inner_text()
    (key,) = re.findall(r"The API key is (\S+)", told)

    program = replace(house.service, key=key)
    assert program.send("GET", "/dimensions/v1/northwind/account/elements/A.24.110").status == 200
    assert program.send("GET", "/dimensions/v1/northwind/currency/elements/EUR").status == 403
    assert program.send("PATCH", "/dimensions/v1/northwind/account/elements/A.24.110", {}).status == 403

    go(root, "API keys")
    expect(root.get_by_text(key)).to_have_count(0)
    row = root.get_by_role("row", name="Data warehouse")
    expect(row).to_contain_text("valid")
    row.get_by_role("checkbox").check()
    root.get_by_label("Select action to run").select_option("Revoke the selected API keys")
    follow(root.get_by_role("button", name="Run", exact=True))
    expect(root.get_by_text("1 API key is revoked")).to_be_visible()
    expect(row).to_contain_text("revoked")
    assert program.send("GET", "/dimensions/v1/northwind/account/elements/A.24.110").status == 401


@pytest.mark.contract("G2")
def test_the_manager_of_another_group_sees_nothing_of_it(alice, bob):
    """Not on the start page, in lists, in an import, nor under the address of an account."""
    open_account(alice, "A.24.110")
    expect(bob.locator("#repositories")).to_contain_text("Contoso holding")
    seen = [bob.locator("body").inner_text()]
    for page in ("Accounts", "Currencies", "Deleted accounts", "Imports", "Deletions"):
        go(bob, page)
        seen.append(bob.locator("body").inner_text())
    go(bob, "Accounts")
    press(bob, "Import")
    expect(bob.get_by_label("Import into").get_by_role("option", name="contoso")).to_have_count(2)
    seen.append(bob.locator("body").inner_text())
    assert len(seen) == 7
    assert not [text for text in seen if "orthwind" in text or "A.24" in text]
    bob.goto(alice.url)
    expect(bob.get_by_role("heading", name="Page not found")).to_be_visible()
