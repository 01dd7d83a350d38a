"""The admin tells who wrote each version of an element, when and from where."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from currency.models import Currency
from tests.factories import currency


@pytest.fixture
def browser(db):
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    return browser


@pytest.mark.contract("C18")
def test_every_version_is_listed_the_latest_first(alice, ed, browser):
    """By name, also for a user who is gone, and in words for what happened."""
    alice.send("POST", alice.currency(), currency())
    ed.send("PATCH", ed.currency("elements/EUR"), {"preferred": True})
    ed.user.delete()

    page = browser.get(reverse("admin:currency_currency_history", args=[Currency.objects.get().pk]))

    versions = [
        (version.get_history_type_display(), version.history_actor, version.get_history_origin_display())
        for version in page.context["versions"]
    ]
    assert versions == [("Changed", "ed", "REST API or admin"), ("Created", "alice", "REST API or admin")]
    text = page.content.decode()
    assert text.index("<td>ed</td>") < text.index("<td>alice</td>")
    assert text.count("<td>REST API or admin</td>") == 2
