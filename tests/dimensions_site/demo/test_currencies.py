"""The sample currencies are those of ISO 4217, with its digits and readable names."""

import csv
from importlib.resources import files

import pytest

FILE = files("dimensions_site.demo") / "data" / "currencies.csv"
ROWS = {row["id"]: row for row in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines())}
LANGUAGES = ("en", "de", "it", "fr", "es")


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


def test_every_currency_is_named_in_five_languages() -> None:
    """No name is missing, and none is the bare code."""
    unnamed = [
        (code, language)
        for code, row in ROWS.items()
        for language in LANGUAGES
        if row[f"descriptions.{language}"].strip() in ("", code)
    ]
    assert unnamed == []
