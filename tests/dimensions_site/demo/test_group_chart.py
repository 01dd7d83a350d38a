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
BOOLEANS = (
    "dataEntryAndReporting.manageTransactionCurrency",
    "dataEntryAndReporting.icManagement",
    "rules.grossAmountEqualICSum",
    "consolidation.rules.excludeFromProportionalCalculation",
)
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


def test_no_cell_has_white_space_around_its_text() -> None:
    """The service stores text exactly as sent, so a stray blank would stay forever."""
    assert [(row["id"], column) for row in ROWS for column in COLUMNS if row[column] != row[column].strip()] == []


def test_the_ids_show_leading_zeros_and_separators() -> None:
    """Ids that a spreadsheet would spoil, and ids with dots, both occur."""
    assert [account for account in ACCOUNTS if re.fullmatch(r"0\d+", account)] != []
    assert [account for account in ACCOUNTS if re.fullmatch(r"[A-Z]+(\.\d+)+", account)] != []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_account_is_described_in_each_language(language: str) -> None:
    """Descriptions are filled, and no two accounts share one."""
    descriptions = [row[f"descriptions.{language}"] for row in ROWS]

    assert "" not in descriptions
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize("column", ALLOWED)
def test_every_value_of_an_enum_column_is_allowed_by_the_specification(column: str) -> None:
    """Optional columns may be empty."""
    empty = set() if column in REQUIRED else {""}

    assert {row[column] for row in ROWS} <= ALLOWED[column] | empty


@pytest.mark.parametrize(
    "column",
    [*REQUIRED, "restrictions.customDimension1.restriction", "monthlySplittingRules.monthlySplittingType"],
)
def test_the_chart_shows_every_value_of_a_column_that_people_filter(column: str) -> None:
    """Every nature, type, conversion type, class, restriction and splitting type occurs somewhere."""
    assert ALLOWED[column] - {row[column] for row in ROWS} == set()


@pytest.mark.parametrize("column", BOOLEANS)
def test_every_boolean_cell_is_true_false_or_empty(column: str) -> None:
    """Booleans are written in JSON's words."""
    assert {row[column] for row in ROWS} <= {"true", "false", ""}


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


def test_start_dates_are_midnights_in_the_form_of_the_wire() -> None:
    """Validity starts with a year, as accounting standards do."""
    starts = {row["dataEntryAndReporting.validity.startDate"] for row in ROWS} - {""}

    assert starts
    assert [start for start in starts if not re.fullmatch(r"20\d\d-01-01T00:00:00\.000\+0000", start)] == []


def test_documentation_links_point_to_a_reserved_example_host() -> None:
    """Sample links must never lead to somebody's real site."""
    links = {row["documentationLink"] for row in ROWS} - {""}

    assert links
    assert [link for link in links if not re.fullmatch(r"https://manual\.example\.com/[a-z/-]+", link)] == []
