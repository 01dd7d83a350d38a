"""The browser, for the tests of this folder."""

from tests.browser import browser, browser_thread, visit

__all__ = ["browser", "browser_thread", "visit"]
