"""The wire of the account: a serializer for each group, nested in that of the model."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from account import choices
from tests.load.bench.plain import bundles
from tests.load.bench.plain.models import CODE, Account


class Timestamp(serializers.DateTimeField):
    """A moment as the specification writes it."""

    def to_representation(self, value: datetime) -> str:
        return value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03}+0000"


def _enum(source: str, values: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(values.choices, source=source, allow_null=True)


def _code(source: str) -> serializers.CharField:
    return serializers.CharField(source=source, max_length=CODE, allow_null=True)


def _flag(source: str) -> serializers.BooleanField:
    return serializers.BooleanField(source=source, allow_null=True)


def _texts(**options: Any) -> serializers.DictField:
    return serializers.DictField(child=serializers.CharField(max_length=1000, allow_null=True), **options)


class Conversion(serializers.ModelSerializer):
    conversionType = serializers.ChoiceField(choices.ConversionType.choices, source="conversion_type")
    referenceAccountForInitialBalance = _code("reference_account_for_initial_balance")

    class Meta:
        model = Account
        fields = ["conversionType", "referenceAccountForInitialBalance"]


class CustomDimension(serializers.Serializer):
    def __init__(self, number: int, **options: Any) -> None:
        super().__init__(**options)
        self.number = number

    def get_fields(self) -> dict[str, serializers.Field]:
        """The two fields, in the columns of this dimension."""
        return {
            "dimensionName": _code(f"custom_dimension{self.number}_dimension_name"),
            "restriction": _enum(f"custom_dimension{self.number}_restriction", choices.Restriction),
        }


class Restrictions(serializers.ModelSerializer):
    customDimension1 = CustomDimension(1, source="*")
    customDimension2 = CustomDimension(2, source="*")
    customDimension3 = CustomDimension(3, source="*")
    customDimension4 = CustomDimension(4, source="*")
    customDimension5 = CustomDimension(5, source="*")
    ctpRestriction = bundles.Reference(source="ctp_restriction", allow_null=True)

    class Meta:
        model = Account
        fields = [*(f"customDimension{number}" for number in range(1, 6)), "ctpRestriction"]


class Validity(serializers.ModelSerializer):
    startDate = Timestamp(source="start_date", allow_null=True)
    endDate = Timestamp(source="end_date", allow_null=True)

    class Meta:
        model = Account
        fields = ["startDate", "endDate"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a validity that ends before it starts."""
        if attrs["start_date"] and attrs["end_date"] and attrs["end_date"] < attrs["start_date"]:
            raise serializers.ValidationError("endDate is before startDate.")
        return attrs


class DataEntryAndReporting(serializers.ModelSerializer):
    validity = Validity(source="*")
    manageTransactionCurrency = _flag("manage_transaction_currency")
    icManagement = _flag("ic_management")
    manageMaximumNumberDecimals = _flag("manage_maximum_number_decimals")

    class Meta:
        model = Account
        fields = ["validity", "manageTransactionCurrency", "icManagement", "manageMaximumNumberDecimals"]

    def get_fields(self) -> dict[str, serializers.Field]:
        """The declared ones, and one whose name is a word of Python."""
        return {**super().get_fields(), "class": _enum("account_class", choices.AccountClass)}


class ValidationChecks(serializers.ModelSerializer):
    standardSignCheck = _enum("standard_sign_check", choices.StandardSignCheck)
    icCapacityCheck = _enum("ic_capacity_check", choices.IcCapacityCheck)
    fxRatesCheck = _enum("fx_rates_check", choices.AmountCheck)
    icSignCheck = _enum("ic_sign_check", choices.IcSignCheck)
    notesCheck = _enum("notes_check", choices.AmountCheck)

    class Meta:
        model = Account
        fields = ["standardSignCheck", "icCapacityCheck", "fxRatesCheck", "icSignCheck", "notesCheck"]


class Rules(serializers.ModelSerializer):
    grossAmountEqualICSum = _flag("gross_amount_equal_ic_sum")
    accrual = bundles.Accrual()
    validationChecks = ValidationChecks(source="*")

    class Meta:
        model = Account
        fields = ["grossAmountEqualICSum", "accrual", "validationChecks"]


class ConsolidationRules(serializers.ModelSerializer):
    useAccountForSetup = _enum("use_account_for_setup", choices.UseAccountForSetup)
    excludeFromProportionalCalculation = _flag("exclude_from_proportional_calculation")

    class Meta:
        model = Account
        fields = ["useAccountForSetup", "excludeFromProportionalCalculation"]


class Consolidation(serializers.ModelSerializer):
    rules = ConsolidationRules(source="*")
    bankingData = bundles.BankingData(source="banking_data")

    class Meta:
        model = Account
        fields = ["rules", "bankingData"]


class MonthlySplittingRules(serializers.ModelSerializer):
    monthlySplittingType = _enum("monthly_splitting_type", choices.MonthlySplittingType)
    reference = bundles.SplittingReference(source="monthly_splitting_reference", allow_null=True)

    class Meta:
        model = Account
        fields = ["monthlySplittingType", "reference"]


class UpdateInfo(serializers.ModelSerializer):
    user = serializers.CharField(source="update_user")
    date = Timestamp(source="update_date")
    origin = serializers.CharField(source="update_origin")

    class Meta:
        model = Account
        fields = ["user", "date", "origin"]


class AccountSerializer(serializers.ModelSerializer):
    id = serializers.CharField(source="element_id", max_length=CODE)
    descriptions = _texts()
    alternativeDescriptions = _texts(source="alternative_descriptions", allow_null=True)
    customAttributes = _texts(source="custom_attributes", allow_null=True)
    conversion = Conversion(source="*")
    documentationLink = serializers.CharField(source="documentation_link", max_length=2000, allow_null=True)
    restrictions = Restrictions(source="*")
    dataEntryAndReporting = DataEntryAndReporting(source="*")
    rules = Rules(source="*")
    consolidation = Consolidation(source="*")
    monthlySplittingRules = MonthlySplittingRules(source="*")
    cashFlowPlanning = bundles.CashFlowPlanning(source="cash_flow_planning", allow_null=True)
    updateInfo = UpdateInfo(source="*", read_only=True)

    class Meta:
        model = Account
        fields = [
            *("id", "descriptions", "alternativeDescriptions", "customAttributes", "nature", "type", "conversion"),
            *("documentationLink", "restrictions", "dataEntryAndReporting", "rules", "consolidation"),
            *("monthlySplittingRules", "cashFlowPlanning", "updateInfo"),
        ]

    def update(self, instance: Account, validated_data: dict[str, Any]) -> Account:
        """Set what was sent: the groups are columns of the account itself."""
        for name, value in validated_data.items():
            setattr(instance, name, value)
        instance.save()
        return instance


class AccountSummary(serializers.ModelSerializer):
    """The three properties that a list to choose from needs."""

    id = serializers.CharField(source="element_id")
    description = serializers.CharField(source="descriptions.en")

    class Meta:
        model = Account
        fields = ["id", "description", "nature"]
