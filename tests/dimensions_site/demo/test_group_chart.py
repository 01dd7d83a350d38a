"""The sample chart of accounts is complete, consistent and uses what the specification allows."""

import csv
from importlib.resources import files

import pytest

LANGUAGES = ("en", "de", "it", "fr")

# Allowed values, column by column, as the specification lists them.
ALLOWED = {
    "nature": {"BALANCE_SHEET", "PROFIT_AND_LOSS", "GUARANTIES_AND_COMMITMENTS", "OTHER_VARIATIONS", "OTHER_STOCKS"},
    "type": {"NORMAL", "DETAIL", "VARIATION"},
    "conversion.conversionType": {
        "PROFIT_AND_LOSS",
        "AVERAGE",
        "PERIOD_AVERAGE",
        "FINAL",
        "HISTORICAL",
        "PREVIOUS_PROFIT_AND_LOSS",
        "PREVIOUS_FINAL",
        "INITIAL_BALANCE",
        "YEAR_TO_YEAR",
        "NONE",
    },
    "dataEntryAndReporting.class": {
        "NONE",
        "ASSET",
        "COST",
        "DECREASE_IN_ASSETS",
        "DECREASE_IN_LIABILITIES",
        "INCREASE_IN_ASSETS",
        "INCREASE IN LIABILITIES",
        "LIABILITY",
        "REVENUE",
    },
    "restrictions.customDimension1.restriction": {
        "NONE",
        "RESTRICTED",
        "RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION",
        "RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS",
    },
    "consolidation.rules.useAccountForSetup": {"NO", "FINANCIAL_INVESTMENTS", "NET_EQUITY"},
    "rules.validationChecks.standardSignCheck": {"ANY", "DEBIT", "CREDIT"},
    "rules.validationChecks.icCapacityCheck": {"DO_NOT_CHECK", "CHECK_MINUS_EQUALS_TO", "CHECK_EQUALS_TO"},
    "rules.validationChecks.fxRatesCheck": {"DO_NOT_CHECK", "CHECK_ONLY_IC_AMOUNTS", "CHECK_GROSS_AND_IC_AMOUNTS"},
    "rules.validationChecks.icSignCheck": {"DO_NOT_CHECK", "AS_GROSS_AMOUNT", "DEBIT", "CREDIT"},
    "monthlySplittingRules.monthlySplittingType": {
        "NO",
        "FLAT",
        "COEFFICIENT_445",
        "COEFFICIENT_454",
        "COEFFICIENT_544",
        "ADVANCED_MANAGEMENT",
    },
}
# Columns that no account leaves empty; the service itself asks for the first three.
REQUIRED = ("nature", "type", "conversion.conversionType", "dataEntryAndReporting.class")

CHART = files("dimensions_site.demo") / "data" / "group_chart.csv"
ROWS = list(csv.DictReader(CHART.read_text(encoding="utf-8").splitlines()))
COLUMNS = list(ROWS[0])
ACCOUNTS = {row["id"]: row for row in ROWS}
# Each column `<reference>.id` has a `<reference>.description` beside it.
REFERENCES = [column.removesuffix(".id") for column in COLUMNS if column.endswith(".id")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_account_is_described_in_each_language(language: str) -> None:
    """Descriptions are filled, and no two accounts share one."""
    descriptions = [row[f"descriptions.{language}"] for row in ROWS]

    assert "" not in descriptions
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize(
    "column", [*REQUIRED, "restrictions.customDimension1.restriction", "monthlySplittingRules.monthlySplittingType"]
)
def test_the_chart_shows_every_value_of_a_column_that_people_filter(column: str) -> None:
    """Every nature, type, conversion type, class, restriction and splitting type occurs somewhere."""
    assert ALLOWED[column] - {row[column] for row in ROWS} == set()


@pytest.mark.parametrize("reference", REFERENCES)
def test_every_reference_names_an_account_of_the_chart_and_its_english_description(reference: str) -> None:
    """A referenced id exists, and the description beside it is that account's own."""
    used = [row for row in ROWS if row[f"{reference}.id"]]

    assert used != []
    assert [
        row["id"]
        for row in used
        if row[f"{reference}.description"]
        != ACCOUNTS.get(row[f"{reference}.id"], {"descriptions.en": None})["descriptions.en"]
    ] == []
    assert [row["id"] for row in ROWS if row[f"{reference}.description"] and not row[f"{reference}.id"]] == []
