"""Many large accounts as clients send them: every leaf is set, about 3.3 KB of JSON each.

Made without Django, so that a client that measures the service does not carry it along.
"""

from collections.abc import Iterator
from typing import Any

from tests.account.samples import FULL

_TEXT = "Forderungen aus Lieferungen, créances"


def accounts(count: int, *, first: int = 0, changed: bool = False) -> Iterator[dict[str, Any]]:
    """Accounts with the ids `first` to `first + count - 1`, 7 digits each; `changed` ones differ in one text."""
    for number in range(first, first + count):
        yield account(f"{number:07}", number, changed=changed)


def account(id: str, number: int, *, changed: bool = False) -> dict[str, Any]:
    """The account `id`; `number` makes a difference to others."""
    text = f"{number} {_TEXT}"
    element: dict[str, Any] = _numbered(FULL, number)
    element["rules"]["grossAmountEqualICSum"] = number % 3 == 0
    element["conversion"]["referenceAccountForInitialBalance"] = f"{number:07}"
    return {
        **element,
        "id": id,
        "descriptions": {language: f"{text} {language}" for language in ("en", "de", "it", "fr")},
        "alternativeDescriptions": {language: f"{number} {language}" for language in ("en", "de")},
        "customAttributes": {"cost centre": str(number % 97), "owner": "group accounting", "reviewed": None},
        "documentationLink": f"https://example.com/accounts/{number}?changed={changed}",
    }


def _numbered(value: Any, number: int) -> Any:
    """Return a copy of the `value` whose references name the account with this `number`, those of credit the next."""
    if not isinstance(value, dict):
        return value
    if {*value} >= {"id", "description"}:
        return {**value, "id": f"{number:07}", "description": f"{number} {_TEXT[:4]}"}
    return {name: _numbered(inner, number + name.startswith("credit")) for name, inner in value.items()}
