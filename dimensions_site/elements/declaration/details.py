"""The details of an element's `ValidationError`, nested like its JSON."""

from collections.abc import Sequence
from typing import Any

from rest_framework.exceptions import ErrorDetail
from rest_framework.settings import api_settings


def at(path: Sequence[str], errors: list[ErrorDetail]) -> dict[str, Any]:
    """Return details with only these `errors` at `path`, which has at least one name."""
    *groups, name = path
    details: dict[str, Any] = {name: errors}
    for group in reversed(groups):
        details = {group: details}
    return details


def joined(one: Any, other: Any) -> Any:
    """Return both details together; errors of a whole object stand beside errors inside it."""
    if isinstance(one, list) and isinstance(other, list):
        return one + other
    result = dict(_by_name(one))
    for name, details in _by_name(other).items():
        result[name] = joined(result[name], details) if name in result else details
    return result


def _by_name(details: Any) -> dict[str, Any]:
    return details if isinstance(details, dict) else {api_settings.NON_FIELD_ERRORS_KEY: details}
