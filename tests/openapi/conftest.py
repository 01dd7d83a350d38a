"""The browser, for the tests of Swagger UI."""

from tests.browser import browser, browser_thread, visit

__all__ = ["browser", "browser_thread", "visit"]
