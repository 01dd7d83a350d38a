"""The summary above a form that was refused names each field once."""

import pytest
from django.utils.translation import override

from account.models import Account
from tests.dimensions_site.administration.site.pages import change
from tests.dimensions_site.administration.site.people import browser_of

START = "dataEntryAndReporting.validity.startDate"


@pytest.mark.parametrize(
    ("language", "rest"), [("en", ": 2026-02-30 does not exist."), ("de", ": 2026-02-30 gibt es nicht.")]
)
def test_the_name_of_a_field_stands_in_its_link_and_not_behind_it_once_more(ed, cash: Account, language, rest):
    """Also where the message separates the name by a colon, and where the field is a row of a map."""
    browser = browser_of(ed)
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    answer = change(browser, cash, **{START: "2026-02-30", "descriptions:1:key": "no language"})
    start, entry = (
        ("Valid from", "Description (no language)") if language == "en" else ("Gültig ab", "Beschreibung (no language)")
    )
    assert f'<li><a href="#id_{START}">{start}</a>{rest}' in answer.content.decode()
    assert f'<li><a href="#id_descriptions:1:key">{entry}</a>' in answer.content.decode()
    with override(language):
        linked = {name: text for _, name, text in answer.context["form"].linked_errors}
    assert linked[start] == rest
    assert linked[entry].startswith(": ")
    assert entry.partition(" ")[0] not in linked[entry]
