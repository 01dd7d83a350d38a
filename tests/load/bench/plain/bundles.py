"""What is stored as JSON, leaf by leaf."""

from rest_framework import serializers

from account import choices
from tests.load.bench.plain.models import CODE


def _code() -> serializers.CharField:
    return serializers.CharField(max_length=CODE, allow_null=True, default=None)


def _filter() -> serializers.ChoiceField:
    return serializers.ChoiceField(choices.ReferenceFilter.choices, allow_null=True, default=None)


class Reference(serializers.Serializer):
    id = _code()
    description = serializers.CharField(max_length=1000, allow_null=True, default=None)


class BankingItem(Reference):
    changeSign = serializers.BooleanField(allow_null=True, default=None)


class Accrual(serializers.Serializer):
    debitAccrual = Reference(allow_null=True, default=None)
    creditAccrual = Reference(allow_null=True, default=None)


class BankingData(serializers.Serializer):
    bankitReportingMItem = BankingItem(allow_null=True, default=None)
    bankitReportingMItemICGroup = BankingItem(allow_null=True, default=None)
    bankitReporting1Item = BankingItem(allow_null=True, default=None)
    bankitReportingEPItem = BankingItem(allow_null=True, default=None)
    ebaSignalingSubAccount = BankingItem(allow_null=True, default=None)
    bankitReportingMItemOld = BankingItem(allow_null=True, default=None)
    icIitemOld = BankingItem(allow_null=True, default=None)


class Hierarchy(serializers.Serializer):
    hierarchyId = _code()
    nodeId = _code()
    descriptionId = _code()


class SplittingReference(serializers.Serializer):
    referenceAccount = Reference(allow_null=True, default=None)
    referenceAccountHierarchy = Hierarchy(allow_null=True, default=None)
    referenceSenario = _code()
    customDimension1Filter = _filter()
    customDimension2Filter = _filter()
    customDimension3Filter = _filter()
    customDimension4Filter = _filter()
    customDimension5Filter = _filter()
    categoryFilter = _filter()
    entityCtpFilter = _code()
    customDimension2CtpFilter = _filter()


class DebitAndCredit(serializers.Serializer):
    debit = Reference(allow_null=True, default=None)
    credit = Reference(allow_null=True, default=None)


class OtherCashFlow(DebitAndCredit):
    additionalCreditAccrualAccount = Reference(allow_null=True, default=None)
    additionalDebitAccrualAccount = Reference(allow_null=True, default=None)


class Revaluation(DebitAndCredit):
    enable = serializers.BooleanField(allow_null=True, default=None)


class CashFlowPlanning(serializers.Serializer):
    variation = DebitAndCredit()
    receivablePayable = DebitAndCredit()
    liquidity = DebitAndCredit()
    other = OtherCashFlow()
    revaluationDevaluation = Revaluation()
