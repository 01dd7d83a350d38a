"""The values that the specification lists for the account's fields, spelled as they stand there (contract C7)."""

from django.db.models import TextChoices


class Nature(TextChoices):
    BALANCE_SHEET = "BALANCE_SHEET"
    PROFIT_AND_LOSS = "PROFIT_AND_LOSS"
    GUARANTIES_AND_COMMITMENTS = "GUARANTIES_AND_COMMITMENTS"
    OTHER_VARIATIONS = "OTHER_VARIATIONS"
    OTHER_STOCKS = "OTHER_STOCKS"


class AccountType(TextChoices):
    NORMAL = "NORMAL"
    DETAIL = "DETAIL"
    VARIATION = "VARIATION"


class ConversionType(TextChoices):
    PROFIT_AND_LOSS = "PROFIT_AND_LOSS"
    AVERAGE = "AVERAGE"
    PERIOD_AVERAGE = "PERIOD_AVERAGE"
    FINAL = "FINAL"
    HISTORICAL = "HISTORICAL"
    PREVIOUS_PROFIT_AND_LOSS = "PREVIOUS_PROFIT_AND_LOSS"
    PREVIOUS_FINAL = "PREVIOUS_FINAL"
    INITIAL_BALANCE = "INITIAL_BALANCE"
    YEAR_TO_YEAR = "YEAR_TO_YEAR"
    NONE = "NONE"


class Restriction(TextChoices):
    NONE = "NONE"
    RESTRICTED = "RESTRICTED"
    RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION = "RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION"
    RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS = "RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS"


class AccountClass(TextChoices):
    NONE = "NONE"
    ASSET = "ASSET"
    COST = "COST"
    DECREASE_IN_ASSETS = "DECREASE_IN_ASSETS"
    DECREASE_IN_LIABILITIES = "DECREASE_IN_LIABILITIES"
    INCREASE_IN_ASSETS = "INCREASE_IN_ASSETS"
    # The specification writes this one with spaces.
    INCREASE_IN_LIABILITIES = "INCREASE IN LIABILITIES"
    LIABILITY = "LIABILITY"
    REVENUE = "REVENUE"


class UseAccountForSetup(TextChoices):
    NO = "NO"
    FINANCIAL_INVESTMENTS = "FINANCIAL_INVESTMENTS"
    NET_EQUITY = "NET_EQUITY"
    # Not listed, but an example of the specification carries it.
    FALSE = "FALSE"


class StandardSignCheck(TextChoices):
    ANY = "ANY"
    DEBIT = "DEBIT"
    CREDIT = "CREDIT"


class IcCapacityCheck(TextChoices):
    DO_NOT_CHECK = "DO_NOT_CHECK"
    CHECK_MINUS_EQUALS_TO = "CHECK_MINUS_EQUALS_TO"
    CHECK_EQUALS_TO = "CHECK_EQUALS_TO"


class AmountCheck(TextChoices):
    """The values of both `fxRatesCheck` and `notesCheck`."""

    DO_NOT_CHECK = "DO_NOT_CHECK"
    CHECK_ONLY_IC_AMOUNTS = "CHECK_ONLY_IC_AMOUNTS"
    CHECK_GROSS_AND_IC_AMOUNTS = "CHECK_GROSS_AND_IC_AMOUNTS"


class IcSignCheck(TextChoices):
    DO_NOT_CHECK = "DO_NOT_CHECK"
    AS_GROSS_AMOUNT = "AS_GROSS_AMOUNT"
    DEBIT = "DEBIT"
    CREDIT = "CREDIT"


class MonthlySplittingType(TextChoices):
    NO = "NO"
    FLAT = "FLAT"
    COEFFICIENT_445 = "COEFFICIENT_445"
    COEFFICIENT_454 = "COEFFICIENT_454"
    COEFFICIENT_544 = "COEFFICIENT_544"
    ADVANCED_MANAGEMENT = "ADVANCED_MANAGEMENT"


class ReferenceFilter(TextChoices):
    NONE = "NONE"
    LOWEST_LEVEL = "LOWEST_LEVEL"
