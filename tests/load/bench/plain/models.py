"""The account as the specification lists it: typed columns, and JSON where the wire nests references."""

from typing import ClassVar

from django.db import models

from account import choices

CODE = 128


def _code() -> "models.CharField[str | None, str | None]":
    return models.CharField(max_length=CODE, null=True)


def _enum(values: type[models.TextChoices], *, null: bool = True) -> "models.CharField[str | None, str | None]":
    return models.CharField(max_length=64, choices=values.choices, null=null)


class Account(models.Model):
    """One account of a tenant's chart."""

    tenant = models.CharField(max_length=64)
    element_id = models.CharField(max_length=CODE)
    descriptions = models.JSONField()
    alternative_descriptions = models.JSONField(null=True)
    custom_attributes = models.JSONField(null=True)
    nature = _enum(choices.Nature, null=False)
    type = _enum(choices.AccountType, null=False)
    conversion_type = _enum(choices.ConversionType, null=False)
    reference_account_for_initial_balance = _code()
    documentation_link = models.CharField(max_length=2000, null=True)

    custom_dimension1_dimension_name = _code()
    custom_dimension1_restriction = _enum(choices.Restriction)
    custom_dimension2_dimension_name = _code()
    custom_dimension2_restriction = _enum(choices.Restriction)
    custom_dimension3_dimension_name = _code()
    custom_dimension3_restriction = _enum(choices.Restriction)
    custom_dimension4_dimension_name = _code()
    custom_dimension4_restriction = _enum(choices.Restriction)
    custom_dimension5_dimension_name = _code()
    custom_dimension5_restriction = _enum(choices.Restriction)
    ctp_restriction = models.JSONField(null=True)

    start_date = models.DateTimeField(null=True)
    end_date = models.DateTimeField(null=True)
    account_class = _enum(choices.AccountClass)
    manage_transaction_currency = models.BooleanField(null=True)
    ic_management = models.BooleanField(null=True)
    manage_maximum_number_decimals = models.BooleanField(null=True)

    gross_amount_equal_ic_sum = models.BooleanField(null=True)
    accrual = models.JSONField()
    standard_sign_check = _enum(choices.StandardSignCheck)
    ic_capacity_check = _enum(choices.IcCapacityCheck)
    fx_rates_check = _enum(choices.AmountCheck)
    ic_sign_check = _enum(choices.IcSignCheck)
    notes_check = _enum(choices.AmountCheck)

    use_account_for_setup = _enum(choices.UseAccountForSetup)
    exclude_from_proportional_calculation = models.BooleanField(null=True)
    banking_data = models.JSONField()
    monthly_splitting_type = _enum(choices.MonthlySplittingType)
    monthly_splitting_reference = models.JSONField(null=True)
    cash_flow_planning = models.JSONField(null=True)

    update_user = models.CharField(max_length=150)
    update_date = models.DateTimeField()
    update_origin = models.CharField(max_length=20)

    objects: ClassVar[models.Manager["Account"]] = models.Manager()

    class Meta:
        ordering = ["element_id"]
        constraints = [models.UniqueConstraint(fields=["tenant", "element_id"], name="account_id_of_tenant")]

    def __str__(self) -> str:
        return self.element_id
