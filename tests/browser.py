"""A real browser that reaches nothing but this machine, for tests of pages as people see and use them."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

# The shell without a window needs a fifth of the processor time that the full browser needs for the same page.
BROWSERS = [Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")]
MISSING = "There is no Chromium. Install it (Debian: apt-get install chromium-headless-shell)."
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-blink-features=ComputedAccessibilityInfo",  # so that scripts can ask for the names of controls
    "--font-render-hinting=none",  # so that letters are equally wide on every machine
]
# In milliseconds; a slow machine is not an error of the pages.
TIMEOUT = 30_000
WIDTHS = {"phone": 390, "desk": 1280}

# What the console says about responses from 400 on, which many tests expect.
UNANSWERED = "Failed to load resource"

Answer = TypeVar("Answer")

expect.set_options(timeout=TIMEOUT)


def installed() -> Path | None:
    """The browser of this machine, if there is one."""
    return next(filter(Path.exists, BROWSERS), None)


def skip_without_browser() -> None:
    """Skip the test on a machine without a browser; in CI it fails there."""
    if installed() is None and os.environ.get("CI") != "true":
        pytest.skip(MISSING)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window, until the block ends."""
    program = installed()
    assert program is not None, MISSING
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=str(program), args=OPTIONS, timeout=4 * TIMEOUT)


class Watched:
    """A page that is watched for what a test would not see: `check` reports errors and requests to other hosts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._errors: list[str] = []
        self._requests: list[str] = []
        page.on("request", lambda request: self._requests.append(request.url))
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        """A violation of the content security policy is one of the errors of the console."""
        if message.type == "error" and not message.text.startswith(UNANSWERED):
            self._errors.append(message.text)

    def check(self, host: str) -> None:
        """Fail on an error of a script or of the console, and on a request to another host."""
        hosts = {urlsplit(url).hostname for url in self._requests if not url.startswith(("data:", "blob:"))}
        assert hosts == {host}, hosts
        assert self._errors == [], self._errors


@pytest.fixture(scope="session")
def browser_thread() -> Iterator[ThreadPoolExecutor]:
    """The one thread that talks to the browser, which stays open from file to file.

    Playwright keeps an event loop running in its thread, and Django refuses the database to a thread with one.
    """
    with ThreadPoolExecutor(1) as thread:
        yield thread


@pytest.fixture(scope="session")
def browser(browser_thread: ThreadPoolExecutor) -> Iterator[Browser]:
    skip_without_browser()
    opened = chromium()
    yield browser_thread.submit(opened.__enter__).result()
    browser_thread.submit(opened.__exit__, None, None, None).result()


@pytest.fixture
def visit(browser: Browser, browser_thread: ThreadPoolExecutor, live_server: LiveServer) -> Callable[..., Any]:
    """Opens a page, lets `look` work on it, and returns what `look` returns; a request to elsewhere is an error."""

    def visit(path: str, look: Callable[[Page], Answer], **options: Any) -> Answer:
        def work() -> Answer:
            page = browser.new_page(**options)
            watched = Watched(page)
            try:
                page.goto(f"{live_server.url}{path}")
                answer = look(page)
            finally:
                page.close()
            watched.check("localhost")
            return answer

        return browser_thread.submit(work).result()

    return visit


def signed_in(client: Client) -> dict[str, Any]:
    """The `storage_state` with which a page opens for the user logged in at `client`."""
    name = settings.SESSION_COOKIE_NAME
    cookie = {"name": name, "value": client.cookies[name].value, "domain": "localhost", "path": "/"}
    unused = {"expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
    return {"cookies": [{**cookie, **unused}], "origins": []}


def follow(target: Locator) -> None:
    """Click what leads to another page, and wait until all of it is loaded, scripts included."""
    with target.page.expect_navigation():
        target.click()


def fits(page: Page) -> bool:
    """Return whether nothing overflows on the right once everything is loaded."""
    page.wait_for_load_state()
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
