"""In Firefox, too, accountants find, filter and edit accounts; the other stories run in Chromium."""

import os
from pathlib import Path

import pytest

from tests.live.clients.tools import NPM_TOOLS, need_npm_tools, run
from tests.stories.stage import PASSWORD

FIREFOX = Path("/usr/bin/firefox-esr")
STORY = Path(__file__).with_name("firefox.mjs")


def test_she_finds_filters_and_edits_accounts_in_firefox(stage, former, rest):
    """A list with a condition, a form with a local day, a table with the clipboard, and Ctrl-K."""
    need_npm_tools()
    if not FIREFOX.exists():
        assert os.environ.get("CI") != "true", "There is no Firefox."
        pytest.skip("There is no Firefox. Install it (Debian: apt-get install firefox-esr).")
    run("node", STORY, NPM_TOOLS / "puppeteer-core", FIREFOX, stage.address, PASSWORD)

    edited = rest("elements/OLD.0250")
    assert edited["dataEntryAndReporting"]["validity"]["startDate"].startswith("2026-01-31")
    german = [rest(f"elements/OLD.{number}")["descriptions"]["de"] for number in ("0250", "0251", "0252")]
    assert german == ["0090", "0091", "0092"]
    assert rest("elements/OLD.0252")["type"] == "DETAIL"
