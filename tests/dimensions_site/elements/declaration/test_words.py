"""The text of a cell means a value, as people write it in their language."""

import pytest
from django.conf import settings
from django.utils.translation import override

from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.labels import AmbiguousText
from tests.dimensions import WIRES

LANGUAGES = [code for code, _name in settings.LANGUAGES]
ACCOUNT, CURRENCY = (WIRES[name].places for name in ("account", "currency"))
START = ACCOUNT["dataEntryAndReporting.validity.startDate"].leaf
PERCENTAGE = CURRENCY["percentageDifference"].leaf
COEFFICIENT = CURRENCY["referenceCurrency.coefficient"].leaf
GROSS = ACCOUNT["rules.grossAmountEqualICSum"].leaf
NATURE = ACCOUNT["nature"].leaf


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_shown_for_a_value_means_it(language):
    """Every label of every list, and yes and no; so a file with labels is read without a change."""
    for places in (ACCOUNT, CURRENCY):
        for place in places.values():
            values: list[str | bool] = [True, False] if isinstance(place.leaf, BooleanField) else []
            if isinstance(place.leaf, EnumField) and not place.leaf.takes_any_text:
                values = list(place.leaf.choices.values)
            with override(language):
                for value in values:
                    words = place.leaf.in_words(value)
                    assert [place.leaf.from_words(text) for text in (words, words.upper())] == [value, value], words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["Balance sheet", " balance  SHEET ", "balance_sheet", "Bilanz", "bilan"])
def test_a_label_is_understood_in_each_language(language, text):
    """Without regard to case and blanks."""
    with override(language):
        assert NATURE.from_words(text) == "BALANCE_SHEET"


@pytest.mark.parametrize("language", LANGUAGES)
def test_yes_and_no_are_understood_in_more_languages_than_the_pages(language):
    """As people write them, and as spreadsheet programs do."""
    with override(language):
        for text in (
            "yes",
            "Ja",
            "OUI",
            "sì",
            "Sí",
            "si",
            "true",
            "WAHR",
            "vrai",
            "vero",
            "verdadero",
            " y ",
            "1",
            "J",
            "waar",
            "sim",
        ):
            assert GROSS.from_words(text) is True, text
        for text in ("no", "Nein", "NON", "false", "FALSCH", "faux", "falso", "n", "0", "nee", "onwaar", "não", "nej"):
            assert GROSS.from_words(text) is False, text
        for text in ("perhaps", "2", "x"):
            assert GROSS.from_words(text) == text


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("de", "31.01.2026", "2026-01-31"),
        ("en", "31.1.2026", "2026-01-31"),
        ("fr", "31/01/2026", "2026-01-31"),
        ("it", "03/04/2026", "2026-04-03"),
        ("es", "3-4-2026 9:05", "2026-04-03T09:05"),
        ("en", "31/01/2026", "2026-01-31"),
        ("en", "01/31/2026", "2026-01-31"),
        ("en", "03/03/2026", "2026-03-03"),
        ("en", " 2026-01-31 ", "2026-01-31"),
        # No such day, or none that people of this language write: the field refuses it.
        ("de", "01/31/2026", "01/31/2026"),
        ("de", "30.02.2026", "30.02.2026"),
        ("en", "٣١.٠١.٢٠٢٦", "٣١.٠١.٢٠٢٦"),
        ("de", "01.01.0000", "01.01.0000"),
        ("de", "01/31/26", "01/31/26"),
        ("de", "2026-02-30", "2026-02-30"),
        ("de", "soon", "soon"),
        # The year first has one order; two digits below 30 are of this century to every program.
        *((language, "2026/01/31", "2026-01-31") for language in ("de", "en", "es")),
        ("it", "2026.01.31", "2026-01-31"),
        ("en", "2026.01.31.", "2026-01-31"),
        ("fr", "2026-1-5", "2026-01-05"),
        ("en", "2026/02/17 19:46:59", "2026-02-17T19:46:59"),
        ("de", "31.01.26", "2026-01-31"),
        ("en", "1.2.26", "2026-02-01"),
        ("fr", "1/2/26", "2026-02-01"),
        ("en", "31/1/26", "2026-01-31"),
        ("de", "31.12.29", "2029-12-31"),
        *((language, "12/31/2026 12:00:00 AM", "2026-12-31T00:00:00") for language in ("de", "en")),
        ("en", "12/31/2026 1:05 p.m.", "2026-12-31T13:05"),
        ("en", "12/31/2026 12:30 PM", "2026-12-31T12:30"),
    ],
)
def test_local_dates_are_understood(language, text, value):
    """In the order of the language."""
    with override(language):
        assert START.from_words(text) == value


def test_a_date_with_two_meanings_is_not_guessed():
    """In English, which has both orders; the message names both."""
    with override("en"), pytest.raises(AmbiguousText) as error:
        START.from_words("03/04/2026")
    assert str(error.value) == "03/04/2026 may be 2026-04-03 or 2026-03-04. Write one of these."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("01.01.95", "1995-01-01", "2095-01-01"),
        ("31.12.99", "1999-12-31", "2099-12-31"),
        ("31/1/30 10:00", "1930-01-31T10:00", "2030-01-31T10:00"),
    ],
)
def test_a_year_of_two_digits_that_programs_read_differently_is_not_guessed(language, text, one, other):
    """Excel takes those from 30 for years of the last century."""
    with override(language), pytest.raises(AmbiguousText) as error:
        START.from_words(text)
    assert one in str(error.value)
    assert other in str(error.value)


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("de", "0,0000", "0.0000"),
        ("it", "1.234,50", "1234.50"),
        ("fr", "1\N{NARROW NO-BREAK SPACE}234,5", "1234.5"),
        ("fr", "1\N{THIN SPACE}234\N{THIN SPACE}567,5", "1234567.5"),
        ("es", "\N{MINUS SIGN}2,5", "-2.5"),
        ("de", " 1.5 ", "1.5"),
        ("en", "1,234.50", "1234.50"),
        # Two signs, two groups, or a blank, are thousands in any language; 0 begins no group.
        *((language, "1.936,27", "1936.27") for language in LANGUAGES),
        *((language, "1,936.27", "1936.27") for language in LANGUAGES),
        *((language, "25.000.000", "25000000") for language in LANGUAGES),
        *((language, "-25 000", "-25000") for language in LANGUAGES),
        ("de", "1'936.270", "1936.270"),
        ("de", "0.123", "0.123"),
        ("fr", "0,123", "0.123"),
        ("de", "1936.270", "1936.270"),
        ("de", "1.9360", "1.9360"),
        ("en", "25.000", "25.000"),
        ("en", "0,5", "0,5"),
        ("de", "1.2.3,4", "1.2.3,4"),
        ("de", "1e5", "1e5"),
    ],
)
def test_local_decimals_are_understood(language, text, value):
    """In languages with a comma; what is a number of the wire stays one."""
    with override(language):
        assert PERCENTAGE.from_words(text) == value
        assert COEFFICIENT.from_words(text) == value


@pytest.mark.parametrize("language", ["de", "fr", "it", "es"])
@pytest.mark.parametrize("leaf", [PERCENTAGE, COEFFICIENT])
@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("1.936", "1,9360", "1936"),
        ("25.000", "25", "25000"),
        ("25,000", "25", "25000"),
        ("-100,250", "-100,25", "-100250"),
    ],
)
def test_a_number_that_two_notations_read_differently_is_not_guessed(language, leaf, text, one, other):
    """Where people write a decimal comma: both readings are named, and each can be typed."""
    with override(language):
        with pytest.raises(AmbiguousText) as error:
            leaf.from_words(text)
        assert one in str(error.value)
        assert other in str(error.value)
        assert error.value.readings == [text.replace(",", "."), other]
        assert float(leaf.from_words(one)) == float(error.value.readings[0])
        assert leaf.from_words(other) == other


def test_a_comma_before_three_digits_is_not_guessed_in_english():
    """The comma may separate thousands, or decimals in a file of another language."""
    with override("en"), pytest.raises(AmbiguousText) as error:
        PERCENTAGE.from_words("1,936")
    assert str(error.value) == "1,936 may be 1.936 or 1936. Write one of these."


def test_a_coefficient_is_a_number_or_yes_or_no():
    """A digit is the number."""
    assert [COEFFICIENT.from_words(text) for text in ("1", "0", "Ja", "non", "TRUE")] == ["1", "0", True, False, True]


def test_texts_stay_as_they_are():
    """But an id has no blanks around it."""
    link, id, reference = (ACCOUNT[path].leaf for path in ("documentationLink", "id", "rules.accrual.debitAccrual.id"))
    assert [leaf.from_words(" 10 ") for leaf in (link, id, reference)] == [" 10 ", "10", "10"]
    open_list = next(
        place.leaf for place in ACCOUNT.values() if isinstance(place.leaf, EnumField) and place.leaf.open_length
    )
    assert open_list.from_words("any text ") == "any text "
