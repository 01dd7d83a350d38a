"""The browser, Alice's, and the identity provider, for the tests of this folder."""

import pytest
from django.test import Client

from tests.browser import browser, browser_thread, visit
from tests.dimensions_site.tokens.consenting import signed_in
from tests.dimensions_site.tokens.provided import clock, provider
from tests.factories import Person

__all__ = ["browser", "browser_thread", "clock", "provider", "visit"]


@pytest.fixture
def alices_browser(alice: Person) -> Client:
    """Alice has access to the administration and has signed in."""
    return signed_in(alice.user)
