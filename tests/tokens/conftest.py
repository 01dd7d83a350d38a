"""The browser, Alice's, and the identity provider, for the tests of this folder."""

import pytest
from django.test import Client

from tests.browser import browser, browser_thread, visit
from tests.factories import Caller
from tests.tokens.consenting import signed_in
from tests.tokens.provided import clock, provider

__all__ = ["browser", "browser_thread", "clock", "provider", "visit"]


@pytest.fixture
def alices_browser(alice: Caller) -> Client:
    """Alice may enter the administration and has signed in."""
    return signed_in(alice.user)
