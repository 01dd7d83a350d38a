"""The list in the language of its reader: the descriptions, their order, and why a search found a row."""

import re
from html import unescape

import pytest

from account.models import Account
from dimensions_site.elements.reading.descriptions import Preferred, preferred_text
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

CHART = {
    "1": {"en": "Zinc", "de": "Ähre"},
    "2": {"en": "revenue", "de": "Umsatzerlöse"},
    "3": {"en": "Ëlan", "de-AT": "zauber"},
    "4": {"en": "Audit"},
    "5": {"it": "Ébano", "fr": "Zebre"},
    "6": {"en": " ", "de": None, "fr": "Bois"},
}


@pytest.fixture
def chart(northwind):
    store_accounts(northwind, *(account(id, descriptions=texts) for id, texts in CHART.items()))


def rows(person, language, **query):
    """The ids and descriptions of the list, in its order."""
    text = browser_of(person).get(page(Account), query, headers={"Accept-Language": language}).content.decode()
    cells = re.findall(r'<span class="element-described">(.*?)</span></a>', text, re.DOTALL)
    ids = re.findall(r'class="field-element_id[^>]*>\s*<a[^>]*>([^<]*)<', text)
    words = [" ".join(re.sub(r"<[^>]+>", " ", unescape(cell)).split()) for cell in cells]
    return dict(zip(ids, words, strict=True))


def test_descriptions_are_in_the_language_of_the_page(chart, rita):
    """Else in the repository's default language, else in any; a language that is not the page's is named."""
    assert rows(rita, "de") == {
        "1": "Ähre",
        "2": "Umsatzerlöse",
        "3": "zauber",
        "4": "Audit (en)",
        "5": "Zebre (fr)",
        "6": "Bois (fr)",
    }
    assert rows(rita, "en")["1"] == "Zinc"


@pytest.mark.parametrize(("language", "order"), [("en", "463251"), ("de", "146235")])
def test_sorting_by_the_description_follows_the_alphabet_of_what_is_shown(chart, rita, language, order):
    """Case and accents do not matter: `Ähre` is before `Audit`, and `revenue` before `Zinc`."""
    shown = rows(rita, language, o="2")
    assert "".join(shown) == order, shown
    assert "".join(rows(rita, language, o="-2")) == order[::-1]


def test_a_row_shows_the_text_in_which_the_searched_word_is(chart, rita):
    """An English page of a search for a German word shows that, too; nothing more if the word is in sight."""
    assert rows(rita, "en", q="umsatz") == {"2": "revenue Umsatzerlöse (de)"}
    assert rows(rita, "de", q="umsatz") == {"2": "Umsatzerlöse"}
    assert rows(rita, "en", q="revenue") == {"2": "revenue"}
    assert rows(rita, "en", q="2 UMSATZ reven") == {"2": "revenue Umsatzerlöse (de)"}


def test_a_word_far_back_in_a_long_text_is_shown_with_what_is_around_it(northwind, rita):
    """The beginning of the text would not show it."""
    store_accounts(northwind, account("1", descriptions={"en": f"{'long ' * 60}needle in it"}))
    (shown,) = rows(rita, "en", q="needle").values()
    assert "needle in it" in shown
    assert shown.startswith("long long")
    assert len(shown) < 300


def test_what_is_searched_for_is_text_and_no_markup(northwind, rita):
    """Descriptions and searches are shown as they are typed."""
    store_accounts(northwind, account("1", descriptions={"en": "plain", "de": "<b>Umsatz</b>"}))
    text = browser_of(rita).get(page(Account), {"q": "<b>umsatz"}).content.decode()
    assert "&lt;b&gt;Umsatz&lt;/b&gt; <small>(de)</small>" in text
    assert "<b>Umsatz" not in text


def test_the_shown_description_is_the_same_in_python_and_in_sql(chart):
    """The list shows what it sorts by."""
    for language in ("de", "en", "fr", "it", "es"):
        sql = Account.objects.annotate(shown=Preferred(language, "repository__default_language"))
        for row in sql:
            assert (row.shown or "") == preferred_text(row.descriptions, language, "en")[1], (
                language,
                row.descriptions,
            )
