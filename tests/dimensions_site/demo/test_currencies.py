"""The sample currencies are those of ISO 4217, with its digits and readable names."""

import pytest

from dimensions_site.demo.samples import LANGUAGES, currency_rows

ROWS = {row["id"]: row for row in currency_rows()}


def test_the_number_of_currencies_is_that_of_iso_4217() -> None:
    """ISO 4217 lists 178 codes in 2026; without XTS (tests) and XXX (no currency) 176 remain."""
    assert len(ROWS) == 176


@pytest.mark.parametrize(
    ("code", "digits"),
    [
        ("EUR", 2),
        ("USD", 2),
        ("CHF", 2),
        ("GBP", 2),
        ("JPY", 0),
        ("KRW", 0),
        ("XOF", 0),
        ("KWD", 3),
        ("TND", 3),
        ("CLF", 4),
        ("UYW", 4),
        ("XAD", 2),
        ("SVC", 2),
    ],
)
def test_a_well_known_currency_has_the_digits_of_its_minor_unit(code: str, digits: int) -> None:
    """`decimalNumbers` is the exponent of the minor unit in ISO 4217."""
    assert ROWS[code]["decimalNumbers"] == str(digits)


@pytest.mark.parametrize(
    "code", ["DEM", "ITL", "HRK", "BGN", "SLL", "ZWL", "ANG", "CUC", "VEF", "BYR", "MRO", "CNH", "XTS", "XXX"]
)
def test_a_code_that_is_retired_or_no_currency_is_absent(code: str) -> None:
    """Retired codes, market names and ISO's placeholders are not offered for booking."""
    assert code not in ROWS


def test_every_currency_is_named_in_five_languages() -> None:
    """No name is missing, and none is the bare code."""
    assert LANGUAGES == ("en", "de", "it", "fr", "es")
    unnamed = [
        (code, language)
        for code, row in ROWS.items()
        for language in LANGUAGES
        if row[f"descriptions.{language}"].strip() in ("", code)
    ]
    assert unnamed == []


def test_names_are_in_the_language_of_their_column() -> None:
    """One currency whose name differs in all five languages, and one whose name CLDR does not know."""
    pound = {language: ROWS["GBP"][f"descriptions.{language}"] for language in LANGUAGES}
    dinar = {language: ROWS["XAD"][f"descriptions.{language}"] for language in LANGUAGES}

    assert pound == {
        "en": "British Pound",
        "de": "Britisches Pfund",
        "it": "sterlina britannica",
        "fr": "livre sterling",
        "es": "libra esterlina",
    }
    assert len(set(dinar.values())) == 5


def test_the_large_currencies_are_preferred_and_all_tolerances_are_zero() -> None:
    """`preferred` marks six currencies; `percentageDifference` is decimal text with four digits."""
    assert [code for code, row in ROWS.items() if row["preferred"] == "true"] == [
        "CHF",
        "CNY",
        "EUR",
        "GBP",
        "JPY",
        "USD",
    ]
    assert {row["preferred"] for row in ROWS.values()} == {"true", "false"}
    assert {row["percentageDifference"] for row in ROWS.values()} == {"0.0000"}
