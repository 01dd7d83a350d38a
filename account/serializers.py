"""The wire of the account dimension, declared once (specification, "Account element"; contract C6 to C8)."""

from typing import Any, ClassVar

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import ErrorDetail, ValidationError

from account import choices
from account.words import ALSO_CALLED
from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.labels import name_of
from dimensions_site.elements.declaration.maps import DescriptionsField, LanguageMapField, MapField
from dimensions_site.elements.declaration.serializers import Bundle, ElementSerializer, Group, Reference
from dimensions_site.elements.declaration.spellings import Spellings
from dimensions_site.elements.declaration.texts import CODE_LENGTH, CodeField, LinkField
from dimensions_site.elements.declaration.timestamps import TimestampField, as_people_write
from dimensions_site.elements.declaration.wire import Wire


class ConversionGroup(Group):
    conversionType = EnumField(
        choices.ConversionType,
        required=True,
        label=_("Conversion type"),
        help_text=_("How amounts in other currencies are converted."),
    )
    referenceAccountForInitialBalance = CodeField(
        refers_to="account", label=_("Reference account for the initial balance")
    )


class CustomDimensionGroup(Group):
    dimensionName = CodeField(label=_("Dimension"))
    restriction = EnumField(choices.Restriction, label=_("Restriction"))


class RestrictionsGroup(Group):
    customDimension1 = CustomDimensionGroup(prefix="custom_dimension1_", label=_("Custom dimension 1"))
    customDimension2 = CustomDimensionGroup(prefix="custom_dimension2_", label=_("Custom dimension 2"))
    customDimension3 = CustomDimensionGroup(prefix="custom_dimension3_", label=_("Custom dimension 3"))
    customDimension4 = CustomDimensionGroup(prefix="custom_dimension4_", label=_("Custom dimension 4"))
    customDimension5 = CustomDimensionGroup(prefix="custom_dimension5_", label=_("Custom dimension 5"))
    ctpRestriction = Reference(label=_("Counterparty restriction"))


class ValidityGroup(Group):
    startDate = TimestampField(label=_("Valid from"))
    endDate = TimestampField(label=_("Valid to"), help_text=_("The end must not be before the start."))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject a validity that ends before it starts (contract C11)."""
        start, end = attrs["start_date"], attrs["end_date"]
        if start is not None and end is not None and end < start:
            first, last = (self.fields["endDate"].to_representation(date) for date in (start, end))
            paths = {"end": name_of(self.fields["endDate"]), "start": name_of(self.fields["startDate"])}
            message = gettext("{end} ({last}) must not be before {start} ({first}).")
            message = message.format(first=as_people_write(first), last=as_people_write(last), **paths)
            raise ValidationError({"endDate": [ErrorDetail(message, "invalid")]})
        return attrs


class DataEntryAndReportingGroup(Group):
    validity = ValidityGroup(label=_("Validity"))
    class_ = EnumField(
        choices.AccountClass,
        spellings={"INCREASE_IN_LIABILITIES": choices.AccountClass.INCREASE_IN_LIABILITIES.value},
        default=choices.AccountClass.NONE.value,
        column="account_class",
        label=_("Class"),
    )
    manageTransactionCurrency = BooleanField(label=_("Manage transaction currency"))
    icManagement = BooleanField(label=_("Intercompany management"))
    manageMaximumNumberDecimals = BooleanField(label=_("Manage maximum number of decimals"))


class AccrualBundle(Bundle):
    debitAccrual = Reference(refers_to="account", label=_("Debit accrual account"))
    creditAccrual = Reference(refers_to="account", label=_("Credit accrual account"))


class ValidationChecksGroup(Group):
    standardSignCheck = EnumField(choices.StandardSignCheck, label=_("Standard sign check"))
    icCapacityCheck = EnumField(choices.IcCapacityCheck, label=_("Intercompany capacity check"))
    fxRatesCheck = EnumField(choices.AmountCheck, label=_("Exchange rates check"))
    icSignCheck = EnumField(choices.IcSignCheck, label=_("Intercompany sign check"))
    notesCheck = EnumField(choices.AmountCheck, label=_("Notes check"))


class RulesGroup(Group):
    grossAmountEqualICSum = BooleanField(
        default=False,
        label=_("Gross amount equals intercompany sum"),
        help_text=_(
            "If yes, the service generates the calculation logic IC on Gross amount, which computes the gross amount "
            "from the intercompany declaration."
        ),
    )
    accrual = AccrualBundle(label=_("Accruals"))
    validationChecks = ValidationChecksGroup(label=_("Validation checks"))


class ConsolidationRulesGroup(Group):
    useAccountForSetup = EnumField(choices.UseAccountForSetup, label=_("Use account for setup"))
    excludeFromProportionalCalculation = BooleanField(label=_("Exclude from proportional calculation"))


class BankingItem(Reference):
    changeSign = BooleanField(label=_("Change sign"))


class BankingDataBundle(Bundle):
    bankitReportingMItem = BankingItem(label=_("Bankit reporting M item"))
    bankitReportingMItemICGroup = BankingItem(label=_("Bankit reporting M item, intercompany group"))
    bankitReporting1Item = BankingItem(label=_("Bankit reporting 1 item"))
    bankitReportingEPItem = BankingItem(label=_("Bankit reporting EP item"))
    ebaSignalingSubAccount = BankingItem(label=_("EBA signaling subaccount"))
    bankitReportingMItemOld = BankingItem(label=_("Bankit reporting M item (old)"))
    icIitemOld = BankingItem(label=_("Intercompany item (old)"))


class ConsolidationGroup(Group):
    rules = ConsolidationRulesGroup(label=_("Consolidation rules"))
    bankingData = BankingDataBundle(label=_("Banking data"))


class HierarchyReference(Bundle):
    nullable = True

    hierarchyId = CodeField(label=_("Hierarchy"))
    nodeId = CodeField(label=_("Node"))
    descriptionId = CodeField(label=_("Description id"))


class SplittingReferenceBundle(Bundle):
    nullable = True

    referenceAccount = Reference(refers_to="account", label=_("Reference account"))
    referenceAccountHierarchy = HierarchyReference(label=_("Hierarchy of reference accounts"))
    referenceSenario = CodeField(label=_("Reference scenario"))
    customDimension1Filter = EnumField(choices.ReferenceFilter, label=_("Filter on custom dimension 1"))
    customDimension2Filter = EnumField(choices.ReferenceFilter, label=_("Filter on custom dimension 2"))
    customDimension3Filter = EnumField(choices.ReferenceFilter, label=_("Filter on custom dimension 3"))
    customDimension4Filter = EnumField(choices.ReferenceFilter, label=_("Filter on custom dimension 4"))
    customDimension5Filter = EnumField(choices.ReferenceFilter, label=_("Filter on custom dimension 5"))
    categoryFilter = EnumField(choices.ReferenceFilter, label=_("Filter on the category"))
    # An example of the specification has an identifier here.
    entityCtpFilter = EnumField(
        choices.ReferenceFilter, open_length=CODE_LENGTH, label=_("Filter on the counterparty entity")
    )
    customDimension2CtpFilter = EnumField(
        choices.ReferenceFilter, label=_("Filter on custom dimension 2 of the counterparty")
    )


class MonthlySplittingRulesGroup(Group):
    monthlySplittingType = EnumField(
        choices.MonthlySplittingType,
        label=_("Monthly splitting"),
        help_text=_("How an annual amount is split into months."),
    )
    reference = SplittingReferenceBundle(column="monthly_splitting_reference", label=_("Splitting reference"))


class DebitAndCredit(Bundle):
    debit = Reference(refers_to="account", label=_("Debit account"))
    credit = Reference(refers_to="account", label=_("Credit account"))


class OtherCashFlow(DebitAndCredit):
    additionalCreditAccrualAccount = Reference(refers_to="account", label=_("Additional credit accrual account"))
    additionalDebitAccrualAccount = Reference(refers_to="account", label=_("Additional debit accrual account"))


class RevaluationAndDevaluation(DebitAndCredit):
    enable = BooleanField(label=_("Enabled"))


class CashFlowPlanningBundle(Bundle):
    nullable = True

    variation = DebitAndCredit(label=_("Variation"))
    receivablePayable = DebitAndCredit(label=_("Receivables and payables"))
    liquidity = DebitAndCredit(label=_("Liquidity"))
    other = OtherCashFlow(label=_("Other cash flow"))
    revaluationDevaluation = RevaluationAndDevaluation(label=_("Revaluation and devaluation"))


class AccountSerializer(ElementSerializer):
    descriptions = DescriptionsField()
    alternativeDescriptions = LanguageMapField(label=_("Alternative description"))
    customAttributes = MapField(label=_("Custom attributes"))
    nature = EnumField(choices.Nature, required=True, label=_("Nature"))
    type = EnumField(choices.AccountType, required=True, label=_("Type"))
    conversion = ConversionGroup(label=_("Conversion"))
    documentationLink = LinkField(label=_("Link to documentation"))
    restrictions = RestrictionsGroup(label=_("Restrictions"))
    dataEntryAndReporting = DataEntryAndReportingGroup(label=_("Data entry and reporting"))
    rules = RulesGroup(label=_("Rules"))
    consolidation = ConsolidationGroup(label=_("Consolidation"))
    monthlySplittingRules = MonthlySplittingRulesGroup(label=_("Monthly splitting rules"))
    cashFlowPlanning = CashFlowPlanningBundle(label=_("Cash flow planning"))

    also_called = ALSO_CALLED

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
