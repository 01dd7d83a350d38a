"""The sample currencies are those of ISO 4217, with its digits and readable names."""

import csv
from importlib.resources import files
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from account.models import Account
from currency.models import Currency
from tests.factories import account, read

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


def fill(db_id: str = "northwind") -> list[str]:
    output = StringIO()
    call_command("fill_repository", db_id, stdout=output)
    return output.getvalue().splitlines()


@pytest.mark.contract("C12")
def test_a_repository_gets_all_currencies_and_the_group_chart(alice):
    """They are read over REST like everything else, and their origin shows that they were imported."""
    currencies, accounts = fill()

    euro = read(alice.get(alice.currency("elements/EUR")))
    assert (euro["description"], euro["decimalNumbers"], euro["updateInfo"]["origin"]) == ("Euro", 2, "IMPORT")
    assert (
        currencies == f"currencies: {read(alice.get(alice.currency('elements-count')))} created, 0 changed, 0 unchanged"
    )
    assert accounts == f"accounts: {read(alice.get(alice.account('elements-count')))} created, 0 changed, 0 unchanged"


def test_filling_twice_changes_nothing_but_what_was_edited(alice):
    """A changed account of the chart is restored; other elements stay."""
    fill()
    alice.send("PATCH", alice.account("elements/0010"), {"descriptions": {"en": "Heads"}})
    alice.send("POST", alice.account(), account("own"))
    currencies, accounts = fill()

    assert currencies.startswith("currencies: 0 created, 0 changed")
    assert accounts.startswith("accounts: 0 created, 1 changed")
    assert Account.objects.filter(element_id="own").exists()


def test_a_default_language_beyond_the_samples_is_accepted(bob, contoso):
    """`description` is null where the repository's own language is not among the sample texts' languages."""
    contoso.default_language = "pt"
    contoso.save()
    fill("contoso")
    assert read(bob.get(bob.currency("elements/EUR", "contoso")))["description"] is None


def test_an_unknown_repository_is_reported_with_a_clear_message(db):
    """Nothing is written then."""
    with pytest.raises(CommandError, match="There is no repository 'nowhere'"):
        fill("nowhere")
    assert not Currency.objects.exists()
