"""Accounts as the service returns them: one in which nothing optional is set, and one in which every leaf is."""

from typing import Any

_DIMENSION = {"dimensionName": None, "restriction": None}
MINIMAL: dict[str, Any] = {
    "id": "1000",
    "descriptions": {"en": "Cash", "de": "Kasse"},
    "alternativeDescriptions": None,
    "customAttributes": None,
    "nature": "BALANCE_SHEET",
    "type": "NORMAL",
    "conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": None},
    "documentationLink": None,
    "restrictions": {**{f"customDimension{number}": _DIMENSION for number in range(1, 6)}, "ctpRestriction": None},
    "dataEntryAndReporting": {
        "validity": {"startDate": None, "endDate": None},
        "class": "NONE",
        "manageTransactionCurrency": None,
        "icManagement": None,
        "manageMaximumNumberDecimals": None,
    },
    "rules": {
        "grossAmountEqualICSum": False,
        "accrual": {"debitAccrual": None, "creditAccrual": None},
        "validationChecks": {
            "standardSignCheck": None,
            "icCapacityCheck": None,
            "fxRatesCheck": None,
            "icSignCheck": None,
            "notesCheck": None,
        },
    },
    "consolidation": {
        "rules": {"useAccountForSetup": None, "excludeFromProportionalCalculation": None},
        "bankingData": {
            "bankitReportingMItem": None,
            "bankitReportingMItemICGroup": None,
            "bankitReporting1Item": None,
            "bankitReportingEPItem": None,
            "ebaSignalingSubAccount": None,
            "bankitReportingMItemOld": None,
            "icIitemOld": None,
        },
    },
    "monthlySplittingRules": {"monthlySplittingType": None, "reference": None},
    "cashFlowPlanning": None,
}


def _item(id: str) -> dict[str, Any]:
    return {"id": id, "description": f"Item {id}", "changeSign": True}


def _reference(id: str) -> dict[str, Any]:
    return {"id": id, "description": f"Account {id}"}


FULL: dict[str, Any] = {
    "id": "1000",
    "descriptions": {"en": "Cash", "it": "Cassa", "es": None},
    "alternativeDescriptions": {"en": "Petty cash", "fr": None},
    "customAttributes": {"Owner of the account": "Treasury", "Region": None},
    "nature": "PROFIT_AND_LOSS",
    "type": "DETAIL",
    "conversion": {"conversionType": "INITIAL_BALANCE", "referenceAccountForInitialBalance": "1001"},
    "documentationLink": "https://example.com/1000",
    "restrictions": {
        "customDimension1": {"dimensionName": "Product", "restriction": "NONE"},
        "customDimension2": {"dimensionName": "Region", "restriction": "RESTRICTED"},
        "customDimension3": {
            "dimensionName": "Channel",
            "restriction": "RESTRICTED_ON_ENTITY_DEFAULT_CUSTOM_DIMENSION",
        },
        "customDimension4": {
            "dimensionName": "Project",
            "restriction": "RESTRICTED_BASED_ON_ACCOUNT_CLASSIFIERS_RELATIONSHIPS",
        },
        "customDimension5": {"dimensionName": "Customer", "restriction": "RESTRICTED"},
        "ctpRestriction": _reference("C1"),
    },
    "dataEntryAndReporting": {
        "validity": {"startDate": "2024-01-01T00:00:00.000+0000", "endDate": "2026-12-31T23:59:59.999+0000"},
        "class": "INCREASE IN LIABILITIES",
        "manageTransactionCurrency": True,
        "icManagement": False,
        "manageMaximumNumberDecimals": True,
    },
    "rules": {
        "grossAmountEqualICSum": True,
        "accrual": {"debitAccrual": _reference("2001"), "creditAccrual": _reference("2002")},
        "validationChecks": {
            "standardSignCheck": "DEBIT",
            "icCapacityCheck": "CHECK_MINUS_EQUALS_TO",
            "fxRatesCheck": "CHECK_ONLY_IC_AMOUNTS",
            "icSignCheck": "AS_GROSS_AMOUNT",
            "notesCheck": "CHECK_GROSS_AND_IC_AMOUNTS",
        },
    },
    "consolidation": {
        "rules": {"useAccountForSetup": "NET_EQUITY", "excludeFromProportionalCalculation": True},
        "bankingData": {
            "bankitReportingMItem": _item("B1"),
            "bankitReportingMItemICGroup": _item("B2"),
            "bankitReporting1Item": _item("B3"),
            "bankitReportingEPItem": _item("B4"),
            "ebaSignalingSubAccount": _item("B5"),
            "bankitReportingMItemOld": _item("B6"),
            "icIitemOld": _item("B7"),
        },
    },
    "monthlySplittingRules": {
        "monthlySplittingType": "COEFFICIENT_445",
        "reference": {
            "referenceAccount": _reference("3001"),
            "referenceAccountHierarchy": {"hierarchyId": "H1", "nodeId": "N1", "descriptionId": "D1"},
            "referenceSenario": "BUDGET",
            **{f"customDimension{number}Filter": "LOWEST_LEVEL" for number in range(1, 6)},
            "categoryFilter": "NONE",
            "entityCtpFilter": "ENTITY-0042",
            "customDimension2CtpFilter": "NONE",
        },
    },
    "cashFlowPlanning": {
        "variation": {"debit": _reference("4001"), "credit": _reference("4002")},
        "receivablePayable": {"debit": _reference("4003"), "credit": _reference("4004")},
        "liquidity": {"debit": _reference("4005"), "credit": _reference("4006")},
        "other": {
            "debit": _reference("4007"),
            "credit": _reference("4008"),
            "additionalCreditAccrualAccount": _reference("4009"),
            "additionalDebitAccrualAccount": _reference("4010"),
        },
        "revaluationDevaluation": {"enable": True, "debit": _reference("4011"), "credit": _reference("4012")},
    },
}
