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
from dimensions_site.elements.declaration.members import Spellings
from dimensions_site.elements.declaration.serializers import Bundle, ElementSerializer, Group, Reference
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
        refers_to="account",
        label=_("Reference account for the initial balance"),
        help_text=_("The account from which the initial balance is taken."),
    )


class CustomDimensionGroup(Group):
    dimensionName = CodeField(
        label=_("Kind"), help_text=_("The name of the custom dimension by which the account is detailed.")
    )
    restriction = EnumField(
        choices.Restriction,
        label=_("Restriction"),
        help_text=_("Whether all values of the custom dimension can be used with the account, or only some."),
    )


class RestrictionsGroup(Group):
    customDimension1 = CustomDimensionGroup(prefix="custom_dimension1_", label=_("Custom dimension 1"))
    customDimension2 = CustomDimensionGroup(prefix="custom_dimension2_", label=_("Custom dimension 2"))
    customDimension3 = CustomDimensionGroup(prefix="custom_dimension3_", label=_("Custom dimension 3"))
    customDimension4 = CustomDimensionGroup(prefix="custom_dimension4_", label=_("Custom dimension 4"))
    customDimension5 = CustomDimensionGroup(prefix="custom_dimension5_", label=_("Custom dimension 5"))
    ctpRestriction = Reference(
        label=_("Counterparty restriction"), help_text=_("The counterparties to which the account is restricted.")
    )


class ValidityGroup(Group):
    startDate = TimestampField(
        label=_("Valid from"), help_text=_("The first day on which the account can be used; empty for no limit.")
    )
    endDate = TimestampField(
        label=_("Valid to"),
        help_text=_(
            "The last day on which the account can be used; empty for no limit. It must not be before the first."
        ),
    )

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
        help_text=_("What kind of item the account is, for example an asset, a cost or a decrease in liabilities."),
    )
    manageTransactionCurrency = BooleanField(
        label=_("Manage transaction currency"),
        help_text=_("Whether amounts are entered in the currency of the transaction, too."),
    )
    icManagement = BooleanField(
        label=_("Intercompany management"),
        help_text=_("Whether amounts with other companies of the group are declared by counterparty."),
    )
    manageMaximumNumberDecimals = BooleanField(
        label=_("Limit the number of decimals"),
        help_text=_("Whether amounts of the account are kept with the largest number of decimals."),
    )


class AccrualBundle(Bundle):
    debitAccrual = Reference(
        refers_to="account",
        label=_("Debit accrual account"),
        help_text=_("The account that takes accruals on the debit side."),
    )
    creditAccrual = Reference(
        refers_to="account",
        label=_("Credit accrual account"),
        help_text=_("The account that takes accruals on the credit side."),
    )


class ValidationChecksGroup(Group):
    standardSignCheck = EnumField(
        choices.StandardSignCheck,
        label=_("Standard sign check"),
        help_text=_("On which side the balance of the account usually stands; a balance on the other one is reported."),
    )
    icCapacityCheck = EnumField(
        choices.IcCapacityCheck,
        label=_("Intercompany capacity check"),
        help_text=_("How the sum of the intercompany amounts is compared with the gross amount."),
    )
    fxRatesCheck = EnumField(
        choices.AmountCheck,
        label=_("Exchange rates check"),
        help_text=_("Which amounts are checked against the exchange rates."),
    )
    icSignCheck = EnumField(
        choices.IcSignCheck,
        label=_("Intercompany sign check"),
        help_text=_("On which side intercompany amounts must stand."),
    )
    notesCheck = EnumField(
        choices.AmountCheck,
        label=_("Check of amounts in the notes"),
        help_text=_("For which amounts the notes are checked."),
    )


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
    useAccountForSetup = EnumField(
        choices.UseAccountForSetup,
        label=_("Used for investments or equity"),
        help_text=_("Whether consolidation sets up financial investments or net equity with this account."),
    )
    excludeFromProportionalCalculation = BooleanField(
        label=_("Exclude from proportional calculation"),
        help_text=_("Whether the account is left out when companies are consolidated proportionally."),
    )


BANKING_ITEM = _("The item of the report to which the account belongs.")


class BankingItem(Reference):
    changeSign = BooleanField(
        label=_("Change sign"), help_text=_("Whether the report shows the amount with the opposite sign.")
    )


class BankingDataBundle(Bundle):
    bankitReportingMItem = BankingItem(label=_("Banca d’Italia reporting (Bankit), M item"), help_text=BANKING_ITEM)
    bankitReportingMItemICGroup = BankingItem(
        label=_("Banca d’Italia reporting (Bankit), M item, intercompany group"), help_text=BANKING_ITEM
    )
    bankitReporting1Item = BankingItem(label=_("Banca d’Italia reporting (Bankit), 1 item"), help_text=BANKING_ITEM)
    bankitReportingEPItem = BankingItem(label=_("Banca d’Italia reporting (Bankit), EP item"), help_text=BANKING_ITEM)
    ebaSignalingSubAccount = BankingItem(label=_("EBA signaling subaccount"), help_text=BANKING_ITEM)
    bankitReportingMItemOld = BankingItem(
        label=_("Banca d’Italia reporting (Bankit), M item (old)"), help_text=BANKING_ITEM
    )
    icIitemOld = BankingItem(label=_("Intercompany item (old)"), help_text=BANKING_ITEM)


class ConsolidationGroup(Group):
    rules = ConsolidationRulesGroup(label=_("Consolidation rules"))
    bankingData = BankingDataBundle(
        label=_("Banking data"),
        help_text=_(
            "Items for supervisors of banks, such as Banca d'Italia and EBA. Other companies leave them empty."
        ),
    )


class HierarchyReference(Bundle):
    nullable = True

    hierarchyId = CodeField(
        label=_("Hierarchy"), help_text=_("The hierarchy of accounts that serves as the reference.")
    )
    nodeId = CodeField(label=_("Node"), help_text=_("The node of the hierarchy that serves as the reference."))
    descriptionId = CodeField(label=_("Description id"), help_text=_("The id of the description of that node."))


FILTER = _("Whether the reference is read at the lowest level of this custom dimension.")


class SplittingReferenceBundle(Bundle):
    nullable = True

    referenceAccount = Reference(
        refers_to="account",
        label=_("Reference account"),
        help_text=_("The account by whose months the annual amount is split."),
    )
    referenceAccountHierarchy = HierarchyReference(label=_("Hierarchy of reference accounts"))
    referenceSenario = CodeField(
        label=_("Reference scenario"), help_text=_("The scenario from which the months of the reference are taken.")
    )
    customDimension1Filter = EnumField(
        choices.ReferenceFilter, label=_("Filter on custom dimension 1"), help_text=FILTER
    )
    customDimension2Filter = EnumField(
        choices.ReferenceFilter, label=_("Filter on custom dimension 2"), help_text=FILTER
    )
    customDimension3Filter = EnumField(
        choices.ReferenceFilter, label=_("Filter on custom dimension 3"), help_text=FILTER
    )
    customDimension4Filter = EnumField(
        choices.ReferenceFilter, label=_("Filter on custom dimension 4"), help_text=FILTER
    )
    customDimension5Filter = EnumField(
        choices.ReferenceFilter, label=_("Filter on custom dimension 5"), help_text=FILTER
    )
    categoryFilter = EnumField(
        choices.ReferenceFilter,
        label=_("Filter on the category"),
        help_text=_("Whether the reference is read at the lowest level of the category."),
    )
    # An example of the specification has an identifier here.
    entityCtpFilter = EnumField(
        choices.ReferenceFilter,
        open_length=CODE_LENGTH,
        label=_("Filter on the counterparty entity"),
        help_text=_(
            "Whether the reference is read at the lowest level of the counterparty entity, or for one entity by its id."
        ),
    )
    customDimension2CtpFilter = EnumField(
        choices.ReferenceFilter,
        label=_("Filter on custom dimension 2 of the counterparty"),
        help_text=_("Whether the reference is read at the lowest level of custom dimension 2 of the counterparty."),
    )


class MonthlySplittingRulesGroup(Group):
    monthlySplittingType = EnumField(
        choices.MonthlySplittingType,
        label=_("Monthly splitting"),
        help_text=_("How an annual amount is split into months."),
    )
    reference = SplittingReferenceBundle(column="monthly_splitting_reference", label=_("Splitting reference"))


class DebitAndCredit(Bundle):
    debit = Reference(
        refers_to="account",
        label=_("Debit account"),
        help_text=_("The account that the planning of cash flows debits."),
    )
    credit = Reference(
        refers_to="account",
        label=_("Credit account"),
        help_text=_("The account that the planning of cash flows credits."),
    )


class OtherCashFlow(DebitAndCredit):
    additionalCreditAccrualAccount = Reference(
        refers_to="account",
        label=_("Additional credit accrual account"),
        help_text=_("A further accrual account on the credit side."),
    )
    additionalDebitAccrualAccount = Reference(
        refers_to="account",
        label=_("Additional debit accrual account"),
        help_text=_("A further accrual account on the debit side."),
    )


class RevaluationAndDevaluation(DebitAndCredit):
    enable = BooleanField(
        label=_("Enabled"), help_text=_("Whether revaluations and devaluations of the account are planned.")
    )


class CashFlowPlanningBundle(Bundle):
    nullable = True

    variation = DebitAndCredit(label=_("Variation"))
    receivablePayable = DebitAndCredit(label=_("Receivables and payables"))
    liquidity = DebitAndCredit(label=_("Liquidity"))
    other = OtherCashFlow(label=_("Other cash flow"))
    revaluationDevaluation = RevaluationAndDevaluation(label=_("Revaluation and devaluation"))


class AccountSerializer(ElementSerializer):
    descriptions = DescriptionsField()
    alternativeDescriptions = LanguageMapField(
        label=_("Alternative description"),
        help_text=_("Another name of the account, for example a shorter one for reports."),
    )
    customAttributes = MapField(
        label=_("Custom attributes"),
        help_text=_("Facts of your own about the account, each with a name, for example its owner."),
    )
    nature = EnumField(
        choices.Nature,
        required=True,
        label=_("Nature"),
        help_text=_("Where the account stands: in the balance sheet, in the profit and loss, or outside both."),
    )
    type = EnumField(
        choices.AccountType,
        required=True,
        label=_("Type"),
        help_text=_("Whether it is an ordinary account, a detail or a variation."),
    )
    conversion = ConversionGroup(label=_("Conversion"))
    documentationLink = LinkField(
        label=_("Link to documentation"),
        help_text=_("The address of a page about the account, for example in the accounting manual."),
    )
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
