"""The kinds of errors that an element of a bulk body can have."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.bulkops.save.bulk import patch
from tests.factories import account

# An account with that id exists, with a validity and the calculation logic.
TAKEN = "taken"
STORED = account(
    TAKEN,
    dataEntryAndReporting={"validity": {"startDate": "2026-01-01", "endDate": "2026-12-31"}},
    rules={"grossAmountEqualICSum": True},
)


@dataclass(frozen=True)
class Kind:
    """A kind of error: an element that has it, and its place below the element.

    The element is JSON text where the JSON itself has the error; `id` makes it unique.
    """

    name: str
    operation: str
    element: Callable[[str], Any]
    place: str
    code: str
    has_id: bool = True

    def text(self, id: str) -> str:
        element = self.element(id)
        return element if isinstance(element, str) else json.dumps(element)


def whole(name: str, fields: dict[str, Any], place: str, code: str) -> Kind:
    """A kind of error in a field of a whole account."""
    return Kind(name, "post", lambda id: account(id, **fields), place, code)


def changing(name: str, data: dict[str, Any], place: str, code: str) -> Kind:
    """A kind of error in a patch of an account that is there."""
    return Kind(name, "patch", lambda id: patch(id, **data), f"/data{place}", code)


def lacking(id: str, *names: str) -> dict[str, Any]:
    return {name: value for name, value in account(id).items() if name not in names}


KINDS = [
    whole("wrong enum", {"nature": "X"}, "/nature", "INVALID"),
    whole("unknown member", {"colour": "red"}, "/colour", "UNKNOWN_MEMBER"),
    whole("a name with a slash", {"a/~b": 1}, "/a~1~0b", "UNKNOWN_MEMBER"),
    whole("bad entry of a map", {"customAttributes": {"region": 1}}, "/customAttributes/region", "INVALID"),
    Kind("missing", "post", lambda id: lacking(id, "nature"), "/nature", "REQUIRED"),
    Kind("id with a control character", "post", lambda id: account(f"{id}\t"), "/id", "INVALID"),
    Kind("id missing", "put", lambda id: lacking(id, "id"), "/id", "REQUIRED", has_id=False),
    Kind("id of another type", "put", lambda id: {**account(), "id": 1}, "/id", "INVALID", False),
    Kind("no object", "put", lambda id: 5, "", "INVALID", has_id=False),
    Kind(
        "duplicate key",
        "post",
        lambda id: json.dumps(account(id))[:-1] + ', "type": "NORMAL"}',
        "/type",
        "DUPLICATE_KEY",
    ),
    Kind(
        "too deep",
        "post",
        lambda id: json.dumps(account(id, documentationLink="?")).replace('"?"', "[" * 60 + "]" * 60),
        "",
        "TOO_DEEP",
    ),
    Kind("existing id", "post", lambda id: account(TAKEN), "/id", "ALREADY_EXISTS"),
    Kind("no such element", "patch", lambda id: patch(f"no {id}"), "/key/id", "ELEMENT_NOT_FOUND"),
    Kind("no key", "patch", lambda id: {"data": {}}, "/key", "REQUIRED", False),
    Kind("no data", "patch", lambda id: {"key": {"id": id}}, "/data", "REQUIRED"),
    Kind("no id", "patch", lambda id: {"key": {}, "data": {}}, "/key/id", "REQUIRED", False),
    Kind(
        "more than an id", "patch", lambda id: {"key": {"id": id, "oid": 1}, "data": {}}, "/key/oid", "UNKNOWN_MEMBER"
    ),
    Kind("data of another type", "patch", lambda id: {"key": {"id": id}, "data": []}, "/data", "INVALID"),
    Kind("more than an entry", "patch", lambda id: patch(id) | {"id": id}, "/id", "UNKNOWN_MEMBER"),
    Kind("no entry", "patch", lambda id: '"text"', "", "INVALID", False),
    changing("clearing what is required", {"nature": None}, "/nature", "NULL"),
    changing("another id", {"id": "other"}, "/id", "IMMUTABLE"),
    changing(
        "end before the stored start",
        {"dataEntryAndReporting": {"validity": {"endDate": "2025-12-31"}}},
        "/dataEntryAndReporting/validity/endDate",
        "INVALID",
    ),
    Kind(
        "duplicate change",
        "patch",
        lambda id: f'{{"key": {{"id": "{id}"}}, "data": {{"type": "NORMAL", "type": "DETAIL"}}}}',
        "/data/type",
        "DUPLICATE_KEY",
    ),
]
