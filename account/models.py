"""The account element (specification, "Account element"), and the calculation logic generated from it."""

from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.db import connection, models
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from account import choices
from account.serializers import ACCOUNT_WIRE
from dimensions_site.elements.declaration.indexes import reference_indexes
from dimensions_site.elements.models import Element, ElementColumns, Version, json_column
from dimensions_site.rsql.columns import CodePointTextField


def enum_column(values: type[models.TextChoices], *, null: bool = True) -> CodePointTextField[Any, Any]:
    """Return a column for one of `values`."""
    # Labels are translated, and so no part of the schema.
    return CodePointTextField(choices=[(value, value) for value in values.values], null=null)


_CATEGORIES = ("nature", "type", "conversion_type", "account_class")


class AccountColumns(ElementColumns):
    """The columns of an account, in the order of the wire; JSON columns hold the JSON of the wire."""

    alternative_descriptions = json_column(null=True)
    custom_attributes = json_column(null=True)
    nature = enum_column(choices.Nature, null=False)
    type = enum_column(choices.AccountType, null=False)

    conversion_type = enum_column(choices.ConversionType, null=False)
    reference_account_for_initial_balance = CodePointTextField(null=True)

    documentation_link = CodePointTextField(null=True)

    custom_dimension1_dimension_name = CodePointTextField(null=True)
    custom_dimension1_restriction = enum_column(choices.Restriction)
    custom_dimension2_dimension_name = CodePointTextField(null=True)
    custom_dimension2_restriction = enum_column(choices.Restriction)
    custom_dimension3_dimension_name = CodePointTextField(null=True)
    custom_dimension3_restriction = enum_column(choices.Restriction)
    custom_dimension4_dimension_name = CodePointTextField(null=True)
    custom_dimension4_restriction = enum_column(choices.Restriction)
    custom_dimension5_dimension_name = CodePointTextField(null=True)
    custom_dimension5_restriction = enum_column(choices.Restriction)
    ctp_restriction = json_column(null=True)

    start_date = models.DateTimeField(null=True)
    end_date = models.DateTimeField(null=True)
    account_class = enum_column(choices.AccountClass)
    manage_transaction_currency = models.BooleanField(null=True)
    ic_management = models.BooleanField(null=True)
    manage_maximum_number_decimals = models.BooleanField(null=True)

    gross_amount_equal_ic_sum = models.BooleanField(null=True)
    accrual = json_column()
    standard_sign_check = enum_column(choices.StandardSignCheck)
    ic_capacity_check = enum_column(choices.IcCapacityCheck)
    fx_rates_check = enum_column(choices.AmountCheck)
    ic_sign_check = enum_column(choices.IcSignCheck)
    notes_check = enum_column(choices.AmountCheck)

    use_account_for_setup = enum_column(choices.UseAccountForSetup)
    exclude_from_proportional_calculation = models.BooleanField(null=True)
    banking_data = json_column()

    monthly_splitting_type = enum_column(choices.MonthlySplittingType)
    monthly_splitting_reference = json_column(null=True)
    cash_flow_planning = json_column(null=True)

    class Meta:
        abstract = True


class AccountVersion(Version, AccountColumns):
    """A version of an account."""

    class Meta(Version.Meta):
        pass


class Account(AccountColumns, Element):
    """An account of a chart."""

    version_model: ClassVar[type[Version]] = AccountVersion
    generating: ClassVar[frozenset[str]] = frozenset({"gross_amount_equal_ic_sum"})

    class Meta(Element.Meta):
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        indexes = [
            # For the filters of the admin list and for counts, which read the index alone: the accounts are
            # fifty times as large.
            models.Index(
                fields=["repository", *_CATEGORIES],
                name="account_categories",
                # Only for queries with one of these conditions: without statistics PostgreSQL would also use it to
                # find ids, and read the whole repository for each (design/bulk.md).
                condition=reduce(or_, (models.Q((f"{category}__isnull", False)) for category in _CATEGORIES)),
            ),
            *reference_indexes("account", ACCOUNT_WIRE),
        ]

    @classmethod
    def after_save(cls, rows: QuerySet[Any]) -> None:
        """Generate and remove the logic according to `rules.grossAmountEqualICSum` (contract C17)."""
        CalculationLogic.synchronise(rows)

    @classmethod
    def before_delete(cls, rows: QuerySet[Any]) -> None:
        """Remove the logic generated for the accounts (contract C17)."""
        CalculationLogic.objects.filter(account__in=rows).delete()


class CalculationLogic(models.Model):
    """A calculation that the system has generated for an account (contract C17)."""

    IC_ON_GROSS_AMOUNT = "IC on Gross amount"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="calculation_logics")
    name = models.CharField(max_length=128)
    computes = models.CharField(max_length=128, help_text="The amount that the calculation fills.")
    formula = models.CharField(max_length=1000)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "name"], name="one_logic_of_a_name_per_account")]

    def __str__(self) -> str:
        return f"{self.name}: {self.computes} = {self.formula}"

    @classmethod
    def synchronise(cls, accounts: QuerySet[Account]) -> None:
        """Give each of the `accounts` exactly the logic that its fields require, in two statements."""
        requiring = accounts.filter(gross_amount_equal_ic_sum=True)
        cls.objects.filter(account__in=accounts).exclude(account__in=requiring).delete()
        quote = connection.ops.quote_name
        chosen, parameters = requiring.order_by().values("id").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {quote(cls._meta.db_table)} (account_id, name, computes, formula) "
                f"SELECT id, %s, %s, %s FROM ({chosen}) AS requiring WHERE true "
                "ON CONFLICT DO NOTHING",
                [cls.IC_ON_GROSS_AMOUNT, "grossAmount", "SUM(icDeclaration)", *parameters],
            )
