"""The sample chart of accounts is complete, consistent and uses what the specification allows."""

import csv
import re
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
INITIAL_BALANCE_REFERENCE = "conversion.referenceAccountForInitialBalance"

CHART = files("dimensions_site.demo") / "data" / "group_chart.csv"
ROWS = list(csv.DictReader(CHART.read_text(encoding="utf-8").splitlines()))
COLUMNS = list(ROWS[0])
ACCOUNTS = {row["id"]: row for row in ROWS}
# Each column `<reference>.id` has a `<reference>.description` beside it.
REFERENCES = [column.removesuffix(".id") for column in COLUMNS if column.endswith(".id")]


def test_the_chart_has_about_150_accounts_with_unique_ids() -> None:
    """Between 148 and 156 rows, no id twice, and every row has a cell for every column."""
    assert 148 <= len(ROWS) <= 156
    assert len(ACCOUNTS) == len(ROWS)
    assert [row["id"] for row in ROWS if None in row or None in row.values()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_account_is_described_in_each_language(language: str) -> None:
    """Descriptions are filled, and no two accounts share one."""
    descriptions = [row[f"descriptions.{language}"] for row in ROWS]

    assert "" not in descriptions
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize(
    "column",
    [*REQUIRED, "restrictions.customDimension1.restriction", "monthlySplittingRules.monthlySplittingType"],
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


def test_opening_balances_and_only_they_name_the_balance_sheet_account_they_open() -> None:
    """A conversion of type INITIAL_BALANCE goes with a reference to a balance sheet account."""
    opening = [row for row in ROWS if row["conversion.conversionType"] == "INITIAL_BALANCE"]

    assert opening == [row for row in ROWS if row[INITIAL_BALANCE_REFERENCE]]
    assert {ACCOUNTS[row[INITIAL_BALANCE_REFERENCE]]["nature"] for row in opening} == {"BALANCE_SHEET"}


def test_variation_accounts_are_the_accounts_of_variation_nature() -> None:
    """Only accounts of type VARIATION are of nature OTHER_VARIATIONS, and the other way round."""
    by_type = {row["id"] for row in ROWS if row["type"] == "VARIATION"}

    assert by_type == {row["id"] for row in ROWS if row["nature"] == "OTHER_VARIATIONS"}


def test_the_class_of_an_account_fits_its_nature() -> None:
    """Assets and liabilities are in the balance sheet, costs and revenues in profit and loss."""
    classes_by_nature = {
        nature: {row["dataEntryAndReporting.class"] for row in ROWS if row["nature"] == nature}
        for nature in ALLOWED["nature"]
    }
    assert classes_by_nature["BALANCE_SHEET"] == {"ASSET", "LIABILITY"}
    assert classes_by_nature["PROFIT_AND_LOSS"] == {"COST", "REVENUE"}
    assert classes_by_nature["GUARANTIES_AND_COMMITMENTS"] == {"NONE"}
    assert classes_by_nature["OTHER_STOCKS"] == {"NONE"}
    assert classes_by_nature["OTHER_VARIATIONS"].isdisjoint({"ASSET", "LIABILITY", "COST", "REVENUE"})


def test_only_intercompany_accounts_take_their_gross_amount_from_the_intercompany_sum() -> None:
    """Every account computed from the declaration has one; some declare only a part of their amount."""
    intercompany = {row["id"] for row in ROWS if row["dataEntryAndReporting.icManagement"] == "true"}
    computed = {row["id"] for row in ROWS if row["rules.grossAmountEqualICSum"] == "true"}

    assert computed
    assert computed < intercompany


def test_every_restriction_names_its_dimension() -> None:
    """A restriction and the name of the restricted dimension come together."""
    name, restriction = "restrictions.customDimension1.dimensionName", "restrictions.customDimension1.restriction"

    assert [row["id"] for row in ROWS if bool(row[name]) != bool(row[restriction])] == []


def test_documentation_links_point_to_a_reserved_example_host() -> None:
    """Sample links must never lead to somebody's real site."""
    links = {row["documentationLink"] for row in ROWS} - {""}

    assert links
    assert [link for link in links if not re.fullmatch(r"https://manual\.example\.com/[a-z/-]+", link)] == []
