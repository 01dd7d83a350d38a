"""One running service and its people at their browsers.

The stories do not use the database: they see what people see on the pages, and what programs get over REST.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import TIMEOUT, Watched, chromium, skip_without_browser
from tests.stories.pages import COUNT_CLICKS, log_in
from tests.stories.stage import Stage, open_stage


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The service, on the kind of database that the suite runs with."""
    with open_stage(tmp_path_factory.mktemp("stage"), os.environ.get("DATABASE_URL", "")) as stage:
        yield stage


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all stories: nothing here asks Django for the database, so this thread may talk to it."""
    skip_without_browser()
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def browsers() -> dict[str, BrowserContext]:
    """The browser of each person, by name, with its cookies and storage."""
    return {}


@pytest.fixture
def enter(stage: Stage, browser: Browser, browsers: dict[str, BrowserContext]) -> Iterator[Callable[[str], Page]]:
    """The start page in the browser of the person with that name, who logs in if necessary."""
    opened: list[Watched] = []

    def enter(name: str) -> Page:
        is_known = name in browsers
        if not is_known:
            browsers[name] = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
            browsers[name].add_init_script(COUNT_CLICKS)
        page = browsers[name].new_page()
        page.set_default_timeout(TIMEOUT)
        opened.append(Watched(page))
        page.goto(f"{stage.address}/admin/")
        if not is_known:
            log_in(page, name)
        expect(page.get_by_role("heading", name="Start page")).to_be_visible()
        page.evaluate("sessionStorage.clicks = 0")
        return page

    yield enter
    for watched in opened:
        watched.page.close()
        watched.check("127.0.0.1")


@pytest.fixture
def alice(enter: Callable[[str], Page]) -> Page:
    """The browser of the manager of Northwind."""
    return enter("alice")


@pytest.fixture
def bob(enter: Callable[[str], Page]) -> Page:
    """The browser of the manager of Contoso."""
    return enter("bob")


@pytest.fixture
def root(enter: Callable[[str], Page]) -> Page:
    """The browser of the superuser."""
    return enter("root")


@pytest.fixture
def former(stage: Stage) -> Iterator[None]:
    """The accounts that nobody needs any more; they are there again after the story, which may delete them."""
    yield
    stage.bring_former_accounts()


@pytest.fixture
def rest(stage: Stage) -> Callable[[str], Any]:
    """The response of REST about Northwind's accounts to a program of Alice's."""

    def rest(rest: str) -> Any:
        answer = stage.service.send("GET", f"/dimensions/v1/northwind/account/{rest}")
        assert answer.status == 200, answer.body
        return answer.json()

    return rest
