"""A user may request as many pages of the administration as a person needs, and not more."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from dimensions_site.environment import Rate
from tests.factories import Person

LIST = "/admin/account/account/"


@pytest.fixture(autouse=True)
def nothing_counted(northwind):
    """Northwind is there, whose list superusers may open."""
    cache.clear()


def statuses(client: Client, *addresses: str) -> list[int]:
    return [client.get(address).status_code for address in addresses]


def test_beyond_the_rate_a_page_says_when_to_retry(root, settings):
    """Searches, exports and uploads alike; with a message, and for programs in Retry-After."""
    settings.THROTTLE_ADMIN = Rate(2, "day")
    assert statuses(root, f"{LIST}?q=cash", "/admin/") == [200, 200]
    refused = root.post("/admin/bulkops/fileimport/add/", {})
    assert refused.status_code == 429
    assert refused["Content-Type"].startswith("text/html")
    assert 0 < int(refused["Retry-After"]) <= 86_400
    page = refused.content.decode()
    assert "Too many pages" in page
    assert refused["Retry-After"] in page
    assert "Nothing was saved" in page


def test_the_page_speaks_the_language_of_the_user(root, settings):
    settings.THROTTLE_ADMIN = Rate(1, "day")
    german = {"Accept-Language": "de"}
    assert root.get(LIST, headers=german).status_code == 200
    assert '<html lang="de">' in root.get(LIST, headers=german).content.decode()


def test_each_user_has_a_separate_rate(root, settings):
    settings.THROTTLE_ADMIN = Rate(1, "day")
    other = Client()
    other.force_login(User.objects.create_superuser("other"))
    assert [*statuses(root, LIST, LIST), *statuses(other, LIST, LIST)] == [200, 429, 200, 429]


def test_neither_the_sign_in_page_nor_what_pages_ask_by_themselves_counts(root, settings):
    """A page that shows how far an import is asks every second or two."""
    settings.THROTTLE_ADMIN = Rate(1, "day")
    progress = "/admin/bulkops/dataprocessing/1/progress/"
    assert statuses(Client(), "/admin/login/", "/admin/login/") == [200, 200]
    assert 429 not in statuses(root, progress, progress, "/admin/jsi18n/", "/admin/jsi18n/")
    assert statuses(root, LIST, LIST) == [200, 429]


def test_calls_of_the_rest_api_are_counted_apart(alice: Person, settings):
    settings.THROTTLE_ADMIN = Rate(1, "day")
    assert [alice.get(alice.currency("elements-count")).status_code for _ in range(3)] == [200] * 3


def test_the_refusal_is_logged_and_counted_like_any_other(root, settings, caplog):
    settings.THROTTLE_ADMIN = Rate(1, "day")
    assert statuses(root, LIST, LIST) == [200, 429]
    refusals = [record.msg for record in caplog.records if record.msg.get("event") == "access_refused"]
    assert [(line["reason"], line["user"]) for line in refusals] == [("TOO_MANY_CALLS", "root")]
