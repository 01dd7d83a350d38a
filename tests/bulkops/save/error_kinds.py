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
    """A kind of error: an element that has it, its place below the element, and its message.

    The element is JSON text where the JSON itself has the error; `id` makes it unique.
    """

    name: str
    operation: str
    element: Callable[[str], Any]
    place: str
    code: str
    message: str
    has_id: bool = True

    def text(self, id: str) -> str:
        element = self.element(id)
        return element if isinstance(element, str) else json.dumps(element)


def whole(name: str, fields: dict[str, Any], place: str, code: str, message: str, operation: str = "post") -> Kind:
    """A kind of error in a field of a whole account."""
    return Kind(name, operation, lambda id: account(id, **fields), place, code, message)


def changing(name: str, data: dict[str, Any], place: str, code: str, message: str) -> Kind:
    """A kind of error in a patch of an account that is there."""
    return Kind(name, "patch", lambda id: patch(id, **data), f"/data{place}", code, message)


def validity(start: str, end: str) -> dict[str, Any]:
    return {"dataEntryAndReporting": {"validity": {"startDate": start, "endDate": end}}}


def lacking(id: str, *names: str) -> dict[str, Any]:
    return {name: value for name, value in account(id).items() if name not in names}


NATURES = "one of BALANCE_SHEET, PROFIT_AND_LOSS, GUARANTIES_AND_COMMITMENTS, OTHER_VARIATIONS, OTHER_STOCKS"

KINDS = [
    whole("wrong enum", {"nature": "X"}, "/nature", "INVALID", f'nature must be {NATURES}; got "X".'),
    whole(
        "wrong type",
        {"documentationLink": 5},
        "/documentationLink",
        "INVALID",
        "documentationLink must be a string, not the number 5.",
    ),
    whole("a group of another type", {"rules": 5}, "/rules", "INVALID", "rules must be an object, not the number 5."),
    whole(
        "too long",
        {"documentationLink": "x" * 2_001},
        "/documentationLink",
        "INVALID",
        "2,001 characters long; the limit is 2,000.",
    ),
    whole("unknown member", {"colour": "red"}, "/colour", "UNKNOWN_MEMBER", "Unknown field 'colour'."),
    whole(
        "unknown member of a group",
        {"rules": {"validationChecks": {"colour": 1}}},
        "/rules/validationChecks/colour",
        "UNKNOWN_MEMBER",
        "Unknown field 'rules.validationChecks.colour'.",
    ),
    whole("a name with a slash", {"a/~b": 1}, "/a~1~0b", "UNKNOWN_MEMBER", "Unknown field 'a/~b'."),
    whole(
        "blank descriptions",
        {"descriptions": {"en": " "}},
        "/descriptions",
        "BLANK",
        "descriptions must have a text in at least one language",
    ),
    whole(
        "bad language",
        {"descriptions": {"en": "Cash", "e": "x"}},
        "/descriptions/e",
        "INVALID_KEY",
        "descriptions: 'e' is not a language tag such as de.",
    ),
    whole(
        "bad entry of a map",
        {"customAttributes": {"region": 1}},
        "/customAttributes/region",
        "INVALID",
        "customAttributes.region must be a string or null, not the number 1.",
    ),
    whole(
        "bad date",
        {"dataEntryAndReporting": {"validity": {"startDate": "31.12.2026"}}},
        "/dataEntryAndReporting/validity/startDate",
        "INVALID",
        "dataEntryAndReporting.validity.startDate must be a date or time such as 2026-01-31",
    ),
    whole(
        "end before start",
        validity("2026-02-01", "2026-01-01"),
        "/dataEntryAndReporting/validity/endDate",
        "INVALID",
        "(2026-01-01) must not be before dataEntryAndReporting.validity.startDate (2026-02-01).",
    ),
    whole(
        "a boolean as text",
        {"rules": {"grossAmountEqualICSum": "true"}},
        "/rules/grossAmountEqualICSum",
        "INVALID",
        'rules.grossAmountEqualICSum must be true or false, without quotes; got "true".',
    ),
    whole(
        "a reference of another type",
        {"restrictions": {"ctpRestriction": "C1"}},
        "/restrictions/ctpRestriction",
        "INVALID",
        'restrictions.ctpRestriction must be an object, not the string "C1".',
    ),
    Kind(
        "missing",
        "post",
        lambda id: lacking(id, "nature"),
        "/nature",
        "REQUIRED",
        "nature is missing; it must be one of BAL",
    ),
    Kind(
        "group of a required field left out",
        "post",
        lambda id: lacking(id, "conversion"),
        "/conversion/conversionType",
        "REQUIRED",
        "conversion.conversionType is missing; it must be one of PROFIT_AND_LOSS, AVERAGE",
    ),
    Kind(
        "id with a control character",
        "post",
        lambda id: account(f"{id}\t"),
        "/id",
        "INVALID",
        "control character U+0009",
    ),
    Kind("id missing", "put", lambda id: lacking(id, "id"), "/id", "REQUIRED", "id is missing", has_id=False),
    Kind(
        "id of another type",
        "put",
        lambda id: {**account(), "id": 1},
        "/id",
        "INVALID",
        "id must be a string, not the number 1.",
        False,
    ),
    Kind("too long an id", "put", lambda id: account(id + "x" * 128), "/id", "INVALID", "the limit is 128."),
    whole("null group of a required field", {"conversion": None}, "/conversion/conversionType", "REQUIRED", "", "put"),
    whole("required field null", {"type": None}, "/type", "NULL", ", not null.", "put"),
    Kind("no object", "put", lambda id: 5, "", "INVALID", "must be an object, not the number 5.", has_id=False),
    Kind("null", "post", lambda id: None, "", "NULL", "must be an object, not null.", has_id=False),
    Kind("a list", "put", lambda id: [account(id)], "", "INVALID", "must be an object, not an array.", has_id=False),
    Kind(
        "duplicate key",
        "post",
        lambda id: json.dumps(account(id))[:-1] + ', "type": "NORMAL"}',
        "/type",
        "DUPLICATE_KEY",
        'the key "type" more than once',
    ),
    Kind(
        "duplicate key inside",
        "put",
        lambda id: json.dumps(account(id))[:-1] + ', "rules": {"accrual": {"debit": {"id": "1", "id": "2"}}}}',
        "/rules/accrual/debit/id",
        "DUPLICATE_KEY",
        'the key "id" more than once',
    ),
    Kind(
        "NUL",
        "put",
        lambda id: json.dumps(account(id, customAttributes={"a": "?"})).replace("?", r"\u0000"),
        "/customAttributes/a",
        "INVALID_CHARACTER",
        "U+0000",
    ),
    Kind(
        "a very long number",
        "post",
        lambda id: json.dumps(account(id, documentationLink="?")).replace('"?"', "9" * 500),
        "/documentationLink",
        "INVALID_NUMBER",
        " characters; the limit is 400",
    ),
    Kind(
        "too deep",
        "post",
        lambda id: json.dumps(account(id, documentationLink="?")).replace('"?"', "[" * 60 + "]" * 60),
        "",
        "TOO_DEEP",
        "nested deeper than 50 levels",
    ),
    Kind(
        "existing id", "post", lambda id: account(TAKEN), "/id", "ALREADY_EXISTS", "already an element with the id 'tak"
    ),
    Kind("no such element", "patch", lambda id: patch(f"no {id}"), "/key/id", "ELEMENT_NOT_FOUND", "does not exist"),
    Kind("no key", "patch", lambda id: {"data": {}}, "/key", "REQUIRED", "key is missing; it must be", False),
    Kind("no data", "patch", lambda id: {"key": {"id": id}}, "/data", "REQUIRED", "data is missing; it must"),
    Kind(
        "key of another type",
        "patch",
        lambda id: {"key": id, "data": {}},
        "/key",
        "INVALID",
        "key must be an object",
        False,
    ),
    Kind("null key", "patch", lambda id: {"key": None, "data": {}}, "/key", "NULL", ", not null.", False),
    Kind("no id", "patch", lambda id: {"key": {}, "data": {}}, "/key/id", "REQUIRED", "id is missing", False),
    Kind(
        "more than an id",
        "patch",
        lambda id: {"key": {"id": id, "oid": 1}, "data": {}},
        "/key/oid",
        "UNKNOWN_MEMBER",
        "Unknown field 'key.oid'.",
    ),
    Kind(
        "data of another type",
        "patch",
        lambda id: {"key": {"id": id}, "data": []},
        "/data",
        "INVALID",
        "data must be an object, not an array.",
    ),
    Kind(
        "more than an entry",
        "patch",
        lambda id: patch(id) | {"id": id},
        "/id",
        "UNKNOWN_MEMBER",
        "Unknown field 'id'. It belongs in 'key'.",
    ),
    Kind("no entry", "patch", lambda id: '"text"', "", "INVALID", "must be an object", False),
    changing(
        "clearing what is required",
        {"nature": None},
        "/nature",
        "NULL",
        f"nature must be {NATURES}, not null.",
    ),
    changing("clearing its group", {"conversion": None}, "/conversion/conversionType", "REQUIRED", "is missing"),
    changing(
        "clearing the last text", {"descriptions": {"en": None, "de": ""}}, "/descriptions", "BLANK", "text in at"
    ),
    changing("another id", {"id": "other"}, "/id", "IMMUTABLE", '; got "other".'),
    changing(
        "wrong value", {"type": "X"}, "/type", "INVALID", 'type must be one of NORMAL, DETAIL, VARIATION; got "X".'
    ),
    changing("unknown change", {"rules": {"colour": 1}}, "/rules/colour", "UNKNOWN_MEMBER", "field 'rules.colour'."),
    changing(
        "end before the stored start",
        {"dataEntryAndReporting": {"validity": {"endDate": "2025-12-31"}}},
        "/dataEntryAndReporting/validity/endDate",
        "INVALID",
        "(2025-12-31) must not be before dataEntryAndReporting.validity.startDate (2026-01-01).",
    ),
    Kind(
        "duplicate change",
        "patch",
        lambda id: f'{{"key": {{"id": "{id}"}}, "data": {{"type": "NORMAL", "type": "DETAIL"}}}}',
        "/data/type",
        "DUPLICATE_KEY",
        'the key "type" more than once',
    ),
]
