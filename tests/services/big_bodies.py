"""Many large accounts as clients send them: nearly every leaf is set, about 3.3 KB of JSON each.

Made without Django, so that a client that measures the service does not carry it along.
"""

from collections.abc import Iterator
from typing import Any

_TEXT = "Forderungen aus Lieferungen, créances"


def accounts(count: int, *, first: int = 0, changed: bool = False) -> Iterator[dict[str, Any]]:
    """Accounts with the ids `first` to `first + count - 1`, 7 digits each; `changed` ones differ in one text."""
    for number in range(first, first + count):
        yield account(f"{number:07}", number, changed=changed)


def account(id: str, number: int, *, changed: bool = False) -> dict[str, Any]:
    """The account `id`; `number` makes a difference to others."""
    text = f"{number} {_TEXT}"
    return {
        "id": id,
        "descriptions": {language: f"{text} {language}" for language in ("en", "de", "it", "fr")},
        "alternativeDescriptions": {language: f"{number} {language}" for language in ("en", "de")},
        "customAttributes": {"cost centre": str(number % 97), "owner": "group accounting", "reviewed": None},
        "nature": "BALANCE_SHEET",
        "type": "NORMAL",
        "conversion": {"conversionType": "FINAL", "referenceAccountForInitialBalance": f"{number:07}"},
        "documentationLink": f"https://example.com/accounts/{number}?changed={changed}",
        "restrictions": {
            **{
                f"customDimension{n}": {"dimensionName": f"dimension {n}", "restriction": "RESTRICTED"}
                for n in range(1, 6)
            },
            "ctpRestriction": _reference(number),
        },
        "dataEntryAndReporting": {
            "validity": {"startDate": "2020-01-01T00:00:00.000+0000", "endDate": "2030-12-31T00:00:00.000+0000"},
            "class": "ASSET",
            "manageTransactionCurrency": True,
            "icManagement": number % 2 == 0,
            "manageMaximumNumberDecimals": False,
        },
        "rules": {
            "grossAmountEqualICSum": number % 3 == 0,
            "accrual": {"debitAccrual": _reference(number), "creditAccrual": _reference(number + 1)},
            "validationChecks": {
                "standardSignCheck": "DEBIT",
                "icCapacityCheck": "CHECK_EQUALS_TO",
                "fxRatesCheck": "DO_NOT_CHECK",
                "icSignCheck": "AS_GROSS_AMOUNT",
                "notesCheck": "DO_NOT_CHECK",
            },
        },
        "consolidation": {
            "rules": {"useAccountForSetup": "NO", "excludeFromProportionalCalculation": False},
            "bankingData": {
                name: {**_reference(number), "changeSign": False}
                for name in (
                    "bankitReportingMItem",
                    "bankitReportingMItemICGroup",
                    "bankitReporting1Item",
                    "bankitReportingEPItem",
                    "ebaSignalingSubAccount",
                    "bankitReportingMItemOld",
                    "icIitemOld",
                )
            },
        },
        "monthlySplittingRules": {
            "monthlySplittingType": "FLAT",
            "reference": {
                "referenceAccount": _reference(number),
                "referenceAccountHierarchy": {"hierarchyId": "H1", "nodeId": f"N{number}", "descriptionId": "D1"},
                "referenceSenario": "ACTUAL",
                **{f"customDimension{n}Filter": "LOWEST_LEVEL" for n in range(1, 6)},
                "categoryFilter": "NONE",
                "entityCtpFilter": "NONE",
                "customDimension2CtpFilter": "NONE",
            },
        },
        "cashFlowPlanning": {
            "variation": _sides(number),
            "receivablePayable": _sides(number),
            "liquidity": _sides(number),
            "other": {
                **_sides(number),
                "additionalCreditAccrualAccount": _reference(number),
                "additionalDebitAccrualAccount": _reference(number),
            },
            "revaluationDevaluation": {"enable": True, **_sides(number)},
        },
    }


def _reference(number: int) -> dict[str, str]:
    return {"id": f"{number:07}", "description": f"{number} {_TEXT[:4]}"}


def _sides(number: int) -> dict[str, Any]:
    return {"debit": _reference(number), "credit": _reference(number + 1)}
