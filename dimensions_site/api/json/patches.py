"""Merge JSON objects."""

from collections.abc import Collection, Mapping
from typing import Any


def merged(current: Mapping[str, Any], patch: Mapping[str, Any], shrinking: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON object `current` after `patch`; objects are merged member by member (contract C15).

    Null is a value like others, except that it removes entries of the members `shrinking`.
    """
    result = dict(current)
    for name, value in patch.items():
        present = result.get(name)
        result[name] = merged(present, value) if isinstance(present, dict) and isinstance(value, dict) else value
        if name in shrinking and isinstance(value, dict):
            result[name] = {key: text for key, text in result[name].items() if text is not None or key not in value}
    return result
