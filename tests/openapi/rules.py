"""The rules of the contract that no JSON schema of OpenAPI 3.0 can say, kept by the requests that have to succeed."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import schemathesis
from schemathesis.generation import GenerationMode

# Letters for languages: `aa`, `bb`, and on.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def keep_rules(case: schemathesis.Case, stored: Mapping[str, Any]) -> None:
    """Make a request that keeps its schema keep the rest of the contract too; leave any other as it is.

    `stored` is the one element that the repository `northwind` holds.
    """
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    # Any other repository and nearly any other element is only ever answered 404.
    case.path_parameters["dbID"] = "northwind"
    id = unquote(case.path_parameters.get("id", ""))
    if len(id) % 2:
        id = case.path_parameters["id"] = stored["id"]
    if isinstance(case.body, dict):
        element = _with_short_numbers(case.body)
        _keep_identity(element, case.method, id, stored)
        _keep_texts(element)
        _keep_validity(element)
        case.body = element


def _keep_identity(element: dict[str, Any], method: str, id: str, stored: Mapping[str, Any]) -> None:
    if method == "POST":
        # C13: the element is new.
        for name in ("id", "oid"):
            if name in element and element[name] == stored.get(name):
                element[name] = f"another {element[name]}"
        return
    # C14: the id in the body is that of the path. C2: the oid is that of the stored element.
    element.pop("oid", None)
    if "id" in element:
        element["id"] = id


def _keep_texts(element: dict[str, Any]) -> None:
    if "descriptions" in element:
        # C4: what `description` says is what `descriptions` says.
        element.pop("description", None)
    for name in ("descriptions", "alternativeDescriptions"):
        # C3: the keys are languages. OpenAPI 3.0 has no `propertyNames`.
        if isinstance(element.get(name), dict):
            element[name] = {_language(number): text for number, text in enumerate(element[name].values())}
    if isinstance(element.get("customAttributes"), dict):
        # C9: the keys have 1 to 128 characters.
        attributes = element["customAttributes"]
        element["customAttributes"] = {name: text for name, text in attributes.items() if 1 <= len(name) <= 128}


def _language(number: int) -> str:
    return f"{_LETTERS[number % len(_LETTERS)] * 2}-{number:02}"


def _keep_validity(element: dict[str, Any]) -> None:
    """C11: the end does not come before the start, be it sent or stored."""
    validity = (element.get("dataEntryAndReporting") or {}).get("validity") or {}
    if validity.get("endDate"):
        validity["startDate"] = validity["endDate"]


def _with_short_numbers(value: Any) -> Any:
    """C10: at most 10 digits after the point; `multipleOf` would compare binary fractions."""
    if isinstance(value, dict):
        return {name: _with_short_numbers(member) for name, member in value.items()}
    return round(value, 10) if isinstance(value, float) else value
