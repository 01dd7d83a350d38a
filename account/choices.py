"""The specification's values of the account fields, in its spelling (contract C7)."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Nature(TextChoices):
    BALANCE_SHEET = "BALANCE_SHEET", _("Balance sheet")
    PROFIT_AND_LOSS = "PROFIT_AND_LOSS", _("Profit and loss")
    GUARANTIES_AND_COMMITMENTS = "GUARANTIES_AND_COMMITMENTS", _("Guarantees and commitments")
    OTHER_VARIATIONS = "OTHER_VARIATIONS", _("Other variations")
    OTHER_STOCKS = "OTHER_STOCKS", _("Other balances")


class AccountType(TextChoices):
    NORMAL = "NORMAL", _("Normal")
    DETAIL = "DETAIL", _("Detail")
    VARIATION = "VARIATION", _("Variation")


class ConversionType(TextChoices):
    PROFIT_AND_LOSS = "PROFIT_AND_LOSS", _("Profit and loss")
    AVERAGE = "AVERAGE", _("Average rate")
    PERIOD_AVERAGE = "PERIOD_AVERAGE", _("Average rate of the period")
    FINAL = "FINAL", _("Closing rate")
    HISTORICAL = "HISTORICAL", _("Historical rate")
    PREVIOUS_PROFIT_AND_LOSS = "PREVIOUS_PROFIT_AND_LOSS", _("Previous profit and loss")
    PREVIOUS_FINAL = "PREVIOUS_FINAL", _("Previous closing rate")
    INITIAL_BALANCE = "INITIAL_BALANCE", _("Initial balance")
    YEAR_TO_YEAR = "YEAR_TO_YEAR", _("Year to year")
    NONE = "NONE", _("None")


class Restriction(TextChoices):
    NONE = "NONE", _("None")
    RESTRICTED = "RESTRICTED", _("Restricted")
    RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION = (
        "RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION",
        _("Restricted to the entity's default custom dimension"),
    )
    RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS = (
        "RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS",
        _("Restricted by relationships of account classifiers"),
    )


class AccountClass(TextChoices):
    NONE = "NONE", _("None")
    ASSET = "ASSET", _("Asset")
    COST = "COST", _("Cost")
    DECREASE_IN_ASSETS = "DECREASE_IN_ASSETS", _("Decrease in assets")
    DECREASE_IN_LIABILITIES = "DECREASE_IN_LIABILITIES", _("Decrease in liabilities")
    INCREASE_IN_ASSETS = "INCREASE_IN_ASSETS", _("Increase in assets")
    # The specification writes this one with spaces.
    INCREASE_IN_LIABILITIES = "INCREASE IN LIABILITIES", _("Increase in liabilities")
    LIABILITY = "LIABILITY", _("Liability")
    REVENUE = "REVENUE", _("Revenue")


class UseAccountForSetup(TextChoices):
    NO = "NO", _("No")
    FINANCIAL_INVESTMENTS = "FINANCIAL_INVESTMENTS", _("Financial investments")
    NET_EQUITY = "NET_EQUITY", _("Net equity")
    # Not in the list, but in an example of the specification.
    FALSE = "FALSE", _("False")


class StandardSignCheck(TextChoices):
    ANY = "ANY", _("Any")
    DEBIT = "DEBIT", _("Debit")
    CREDIT = "CREDIT", _("Credit")


class IcCapacityCheck(TextChoices):
    DO_NOT_CHECK = "DO_NOT_CHECK", _("Do not check")
    CHECK_MINUS_EQUALS_TO = "CHECK_MINUS_EQUALS_TO", _("Check that it is at most equal")
    CHECK_EQUALS_TO = "CHECK_EQUALS_TO", _("Check that it is equal")


class AmountCheck(TextChoices):
    """The values of `fxRatesCheck` and `notesCheck`."""

    DO_NOT_CHECK = "DO_NOT_CHECK", _("Do not check")
    CHECK_ONLY_IC_AMOUNTS = "CHECK_ONLY_IC_AMOUNTS", _("Check intercompany amounts only")
    CHECK_GROSS_AND_IC_AMOUNTS = "CHECK_GROSS_AND_IC_AMOUNTS", _("Check gross and intercompany amounts")


class IcSignCheck(TextChoices):
    DO_NOT_CHECK = "DO_NOT_CHECK", _("Do not check")
    AS_GROSS_AMOUNT = "AS_GROSS_AMOUNT", _("Same as the gross amount")
    DEBIT = "DEBIT", _("Debit")
    CREDIT = "CREDIT", _("Credit")


class MonthlySplittingType(TextChoices):
    NO = "NO", _("No")
    FLAT = "FLAT", _("Flat")
    COEFFICIENT_445 = "COEFFICIENT_445", _("Coefficients 4-4-5")
    COEFFICIENT_454 = "COEFFICIENT_454", _("Coefficients 4-5-4")
    COEFFICIENT_544 = "COEFFICIENT_544", _("Coefficients 5-4-4")
    ADVANCED_MANAGEMENT = "ADVANCED_MANAGEMENT", _("Advanced management")


class ReferenceFilter(TextChoices):
    NONE = "NONE", _("None")
    LOWEST_LEVEL = "LOWEST_LEVEL", _("Lowest level")
