"""The wire of the account dimension, declared once (specification, "Account element"; contract C6 to C8)."""

from typing import Any, ClassVar

from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail, ValidationError

from account import choices
from dimensions_site.elements.declaration.fields import (
    CODE_LENGTH,
    LINK_LENGTH,
    BooleanField,
    CodeField,
    EnumField,
    TextField,
    path_of,
)
from dimensions_site.elements.declaration.maps import DescriptionsField, LanguageMapField, MapField
from dimensions_site.elements.declaration.serializers import Bundle, ElementSerializer, Group, Reference
from dimensions_site.elements.declaration.spellings import Spellings
from dimensions_site.elements.declaration.timestamps import TimestampField, as_people_write
from dimensions_site.elements.declaration.wire import Wire


class ConversionGroup(Group):
    conversionType = EnumField(choices.ConversionType, required=True)
    referenceAccountForInitialBalance = CodeField(refers_to="account")


class CustomDimensionGroup(Group):
    dimensionName = CodeField()
    restriction = EnumField(choices.Restriction)


class RestrictionsGroup(Group):
    customDimension1 = CustomDimensionGroup(prefix="custom_dimension1_")
    customDimension2 = CustomDimensionGroup(prefix="custom_dimension2_")
    customDimension3 = CustomDimensionGroup(prefix="custom_dimension3_")
    customDimension4 = CustomDimensionGroup(prefix="custom_dimension4_")
    customDimension5 = CustomDimensionGroup(prefix="custom_dimension5_")
    ctpRestriction = Reference()


class ValidityGroup(Group):
    startDate = TimestampField()
    endDate = TimestampField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject a validity that ends before it starts (contract C11)."""
        start, end = attrs["start_date"], attrs["end_date"]
        if start is not None and end is not None and end < start:
            first, last = (self.fields["endDate"].to_representation(date) for date in (start, end))
            paths = {"end": path_of(self.fields["endDate"]), "start": path_of(self.fields["startDate"])}
            message = _("{end} ({last}) must not be before {start} ({first}).")
            message = message.format(first=as_people_write(first), last=as_people_write(last), **paths)
            raise ValidationError({"endDate": [ErrorDetail(message, "invalid")]})
        return attrs


class DataEntryAndReportingGroup(Group):
    validity = ValidityGroup()
    class_ = EnumField(
        choices.AccountClass,
        spellings={"INCREASE_IN_LIABILITIES": choices.AccountClass.INCREASE_IN_LIABILITIES.value},
        default=choices.AccountClass.NONE.value,
        column="account_class",
    )
    manageTransactionCurrency = BooleanField()
    icManagement = BooleanField()
    manageMaximumNumberDecimals = BooleanField()


class AccrualBundle(Bundle):
    debitAccrual = Reference(refers_to="account")
    creditAccrual = Reference(refers_to="account")


class ValidationChecksGroup(Group):
    standardSignCheck = EnumField(choices.StandardSignCheck)
    icCapacityCheck = EnumField(choices.IcCapacityCheck)
    fxRatesCheck = EnumField(choices.AmountCheck)
    icSignCheck = EnumField(choices.IcSignCheck)
    notesCheck = EnumField(choices.AmountCheck)


class RulesGroup(Group):
    grossAmountEqualICSum = BooleanField(default=False)
    accrual = AccrualBundle()
    validationChecks = ValidationChecksGroup()


class ConsolidationRulesGroup(Group):
    useAccountForSetup = EnumField(choices.UseAccountForSetup)
    excludeFromProportionalCalculation = BooleanField()


class BankingItem(Reference):
    changeSign = BooleanField()


class BankingDataBundle(Bundle):
    bankitReportingMItem = BankingItem()
    bankitReportingMItemICGroup = BankingItem()
    bankitReporting1Item = BankingItem()
    bankitReportingEPItem = BankingItem()
    ebaSignalingSubAccount = BankingItem()
    bankitReportingMItemOld = BankingItem()
    icIitemOld = BankingItem()


class ConsolidationGroup(Group):
    rules = ConsolidationRulesGroup()
    bankingData = BankingDataBundle()


class HierarchyReference(Bundle):
    nullable = True

    hierarchyId = CodeField()
    nodeId = CodeField()
    descriptionId = CodeField()


class SplittingReferenceBundle(Bundle):
    nullable = True

    referenceAccount = Reference(refers_to="account")
    referenceAccountHierarchy = HierarchyReference()
    referenceSenario = CodeField()
    customDimension1Filter = EnumField(choices.ReferenceFilter)
    customDimension2Filter = EnumField(choices.ReferenceFilter)
    customDimension3Filter = EnumField(choices.ReferenceFilter)
    customDimension4Filter = EnumField(choices.ReferenceFilter)
    customDimension5Filter = EnumField(choices.ReferenceFilter)
    categoryFilter = EnumField(choices.ReferenceFilter)
    # An example of the specification has an identifier here.
    entityCtpFilter = EnumField(choices.ReferenceFilter, open_length=CODE_LENGTH)
    customDimension2CtpFilter = EnumField(choices.ReferenceFilter)


class MonthlySplittingRulesGroup(Group):
    monthlySplittingType = EnumField(choices.MonthlySplittingType)
    reference = SplittingReferenceBundle(column="monthly_splitting_reference")


class DebitAndCredit(Bundle):
    debit = Reference(refers_to="account")
    credit = Reference(refers_to="account")


class OtherCashFlow(DebitAndCredit):
    additionalCreditAccrualAccount = Reference(refers_to="account")
    additionalDebitAccrualAccount = Reference(refers_to="account")


class RevaluationAndDevaluation(DebitAndCredit):
    enable = BooleanField()


class CashFlowPlanningBundle(Bundle):
    nullable = True

    variation = DebitAndCredit()
    receivablePayable = DebitAndCredit()
    liquidity = DebitAndCredit()
    other = OtherCashFlow()
    revaluationDevaluation = RevaluationAndDevaluation()


class AccountSerializer(ElementSerializer):
    descriptions = DescriptionsField()
    alternativeDescriptions = LanguageMapField()
    customAttributes = MapField()
    nature = EnumField(choices.Nature, required=True)
    type = EnumField(choices.AccountType, required=True)
    conversion = ConversionGroup()
    documentationLink = TextField(max_length=LINK_LENGTH)
    restrictions = RestrictionsGroup()
    dataEntryAndReporting = DataEntryAndReportingGroup()
    rules = RulesGroup()
    consolidation = ConsolidationGroup()
    monthlySplittingRules = MonthlySplittingRulesGroup()
    cashFlowPlanning = CashFlowPlanningBundle()

    # The specification's table "Spelling differences between the field list and example payloads".
    spellings: ClassVar[Spellings] = Spellings(
        {
            "alternativesDescriptions": "alternativeDescriptions",
            "conversion-conversionType": "conversion.conversionType",
            **{
                f"restrictions.customDimension{number}.restricted": f"restrictions.customDimension{number}.restriction"
                for number in range(1, 6)
            },
            "rules.consolidaton": "consolidation.rules",
            "bankingData.consolidation": "consolidation.bankingData",
            "consolidation.bankingData.icItemOld": "consolidation.bankingData.icIitemOld",
            "cashFlowPlanning.receivablePayble": "cashFlowPlanning.receivablePayable",
            "rules.accrual.debit": "rules.accrual.debitAccrual",
            "rules.accrual.credit": "rules.accrual.creditAccrual",
            "debitAccrual.Accrual": "rules.accrual.debitAccrual",
            "creditAccrual.Accrual": "rules.accrual.creditAccrual",
            "monthlySplittingRules.reference.referenceScenario": "monthlySplittingRules.reference.referenceSenario",
            "CtpElement": "restrictions.ctpRestriction",
        }
    )


ACCOUNT_WIRE = Wire(AccountSerializer)
