"""Each person chooses where, when and in which language they get mail (contract O6)."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bulkops.models import MailChoice
from tests.dimensions_site.administration.site.people import browser_of, messages_of
from tests.factories import Person

pytestmark = pytest.mark.contract("O6")

ADDRESS = "/admin/mail/"
CHOSEN = {"email": "rita@example.com", "frequency": "DAILY", "language": "de"}


def test_a_choice_is_stored_and_shown(rita: Person):
    """Before it, mail is sent at once, and the language is that of the page."""
    browser = browser_of(rita)
    before = browser.get(ADDRESS, headers={"accept-language": "fr"}).context["form"]
    assert before.initial == {"email": "", "frequency": "AT_ONCE", "language": "fr"}

    answer = browser.post(ADDRESS, CHOSEN, follow=True)
    assert messages_of(answer) == ["Your choice was saved."]
    assert answer.context["form"].initial == CHOSEN
    assert User.objects.get(username="rita").email == "rita@example.com"
    browser.post(ADDRESS, {**CHOSEN, "email": "", "frequency": "NONE"})
    assert list(MailChoice.objects.values_list("user__username", "frequency", "language")) == [("rita", "NONE", "de")]
    assert User.objects.get(username="rita").email == ""


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("email", "rita"),
        ("email", "rita@example.com\nBcc: spy@example.com"),
        ("email", "a@example.com, b@example.com"),
        ("email", f"{'x' * 250}@example.com"),
        ("email", "rita\0@example.com"),
        ("frequency", "HOURLY"),
        ("language", "xx"),
    ],
)
def test_an_invalid_value_is_an_error_at_its_place_and_nothing_is_stored(rita: Person, field: str, sent: str):
    """What was typed stays."""
    answer = browser_of(rita).post(ADDRESS, {**CHOSEN, field: sent})
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [field]
    assert b'value="rita@example.com"' in answer.content or field == "email"
    assert not MailChoice.objects.exists()
    assert User.objects.get(username="rita").email == ""


def test_the_page_says_whether_mail_is_sent(rita: Person, settings):
    """It is in the menu of the user, and only for those who have signed in."""
    browser = browser_of(rita)
    assert b"no mail server is set" in browser.get(ADDRESS).content
    settings.MAIL_SERVER = {"host": "127.0.0.1"}
    assert b"no mail server is set" not in browser.get(ADDRESS).content
    assert f'href="{ADDRESS}"' in browser.get("/admin/").content.decode()
    assert Client().get(ADDRESS).status_code == 302
    assert browser.delete(ADDRESS).status_code == 405
