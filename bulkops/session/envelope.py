"""The envelopes of bulk requests: finds the elements of a body without decoding them (contract E1, E2, F1)."""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from types import MappingProxyType
from typing import Annotated, Any, get_args

import msgspec
from django.conf import settings
from rest_framework.exceptions import ValidationError

from bulkops.session.errors import Errors
from bulkops.session.items import OPERATIONS, Envelope, Operation, SaveMode
from bulkops.session.patches import too_long
from dimensions_site.api.errors import MAX_FAILURES, Failure, bad_request, flatten, quoted
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.dividing import check_json, first_character, items, members
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.api.json.texts import described_value
from dimensions_site.elements.declaration.serializers import WireObject
from dimensions_site.elements.declaration.texts import CODE_LENGTH, CodeField
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import close_names, did_you_mean, unknown_field

_MEMBERS = ("saveMode", *OPERATIONS)
# This many bytes of a wrong value are enough to show it.
_SHOWN_BYTES = 400


def read_envelope(body: bytearray) -> Envelope:
    """Return the content of a bulk save's body, which is UTF-8 as `BulkBodyParser` returns it.

    Its failures are unknown and repeated members, an unknown save mode, an operation that is not an array, no operation
    at all. Raises `Problem` 400 if the elements cannot be found or are too many: malformed JSON, a value that is not an
    object, too many members or elements. Contract E1, E2.
    """
    text = memoryview(body)
    try:
        check_kind(text, b"{", f"an object with {', '.join(OPERATIONS[:-1])} or {OPERATIONS[-1]}")
        failures: list[Failure] = []
        values = read_members(text, _MEMBERS, failures)
    except JsonError as error:
        raise bad_request(error.failures, error.failure_count) from None
    if not any(name in values for name in OPERATIONS):
        failures.append(Failure("", "REQUIRED", f"The body must have at least one of {', '.join(OPERATIONS)}."))
    save_mode = save_mode_of(values.get("saveMode"), failures)
    return Envelope(save_mode, operations_of(values, failures), failures)


def check_kind(text: memoryview, opening: bytes, expected: str) -> None:
    """Raise `Problem` for a value that does not begin with the bracket `opening`, `JsonError` for no value at all."""
    if first_character(text) != opening:
        check_json(text)
        raise bad_request([wrong("", "The body", text, expected)])


def read_members(
    text: memoryview, known: tuple[str, ...], failures: list[Failure], place: str = ""
) -> dict[str, msgspec.Raw]:
    """Return the members of the object `text` at the JSON Pointer `place`; null means absent (contract C5).

    Unknown and repeated members are added to the `failures`. Raises `JsonError` if it is malformed, and `Problem` 400
    for far too many members.
    """
    called = place.rpartition("/")[2] or "The body"
    found = list(islice(members(text), MAX_FAILURES + 1))
    if len(found) > MAX_FAILURES:
        message = f"{called} has more than {MAX_FAILURES:,} members; it takes {', '.join(known)}."
        raise bad_request([Failure(place, "TOO_MANY_MEMBERS", message)])
    for name, count in Counter(name for name, _ in found).items():
        path = json_pointer(place, shortened(name))
        if name not in known:
            similar = close_names(name, known)
            takes = "" if similar else f" {called} takes {', '.join(known)}."
            hint = " To delete elements, use elements-bulk-delete-async or elements-plans." if name == "delete" else ""
            failures.append(Failure(path, "UNKNOWN_MEMBER", f"{unknown_field(name, similar)}{takes}{hint}"))
        if count > 1:
            message = f"{called} must not have the key {quoted(name)} more than once."
            failures.append(Failure(path, "DUPLICATE_KEY", message))
    return {name: value for name, value in found if _beginning(memoryview(value)) != "null"}


def save_mode_of(text: msgspec.Raw | None, failures: list[Failure]) -> SaveMode:
    """Return the mode; LOOSE if there is none."""
    if text is not None:
        try:
            mode: SaveMode = msgspec.json.decode(text, type=SaveMode)
        except msgspec.ValidationError:
            modes = get_args(SaveMode)
            sent = memoryview(text)
            hint = did_you_mean(close_names(_beginning(sent).strip('"'), modes), in_quotes=False)
            failures.append(wrong("/saveMode", "saveMode", sent, f"one of {', '.join(modes)}", hint))
        else:
            return mode
    return "LOOSE"


def operations_of(
    values: Mapping[str, msgspec.Raw], failures: list[Failure], places: Mapping[str, str] = MappingProxyType({})
) -> list[Operation]:
    """Return the operations in their order; `places` are the JSON Pointers of arrays that are not at their names.

    Adds an error for a value that is not an array. Raises `Problem` 400 for too many elements.
    """
    limit: int = settings.API_MAX_BULK_ELEMENTS
    operations: list[Operation] = []
    first = 0
    for name in OPERATIONS:
        text, elements = memoryview(values.get(name, b"[]")), []
        if first_character(text) != b"[":
            place = places.get(name, f"/{name}")
            failures.append(wrong(place, place.rpartition("/")[2], text, "an array of elements"))
        elif first <= limit:
            elements = list(islice(items(text), limit - first + 1))
        operations.append(Operation(name, elements, first, places.get(name)))
        first += len(elements)
    if first > limit:
        raise bad_request([*failures, too_many(f"elements in {', '.join(OPERATIONS)} together", limit)])
    return operations


def wrong(path: str, name: str, text: memoryview, expected: str, hint: str = "") -> Failure:
    """Return the error of a member, whose value `text` is shown, with what is `expected`."""
    return Failure(path, "INVALID", f"{name} must be {expected}; got {shortened(_beginning(text))}.{hint}")


def _beginning(text: memoryview) -> str:
    return bytes(text[:_SHOWN_BYTES]).decode(errors="ignore").strip()


def too_many(what: str, limit: int) -> Failure:
    """Return the failure of a body with more than `limit` of `what`."""
    return Failure("", "TOO_MANY_ELEMENTS", f"The body has more than {limit:,} {what}; send several requests.")


# --- Bulk deletion -----------------------------------------------------------------------------


class AnyIdField(CodeField):
    """An id in a request; one that no element can have is merely not found."""

    @property
    def expected(self) -> str:
        return f"text of 1 to {self.max_length} characters"

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text:
            self.reject("{name} must not be empty.")
        return text

    def schema(self) -> dict[str, Any]:
        return {**super().schema(), "minLength": 1}


class DeletionItem(WireObject):
    """An item of the list of elements to delete."""

    id = AnyIdField(required=True)


class _Item(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """An item of a plain list."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=CODE_LENGTH)]


_plain = msgspec.json.Decoder(list[_Item])
_split = msgspec.json.Decoder(list[msgspec.Raw])
# NUL, which no id contains, and the colon, which could hide that of a repeated member.
_DECEPTIVE_ESCAPE = re.compile(rb"\\u00(?:00|3[aA])")
_declaration = DeletionItem()


def read_ids(body: bytearray) -> list[str]:
    """Return the ids in the body of a bulk deletion, each once, in their order; the body is that of `BulkBodyParser`.

    Raises `Problem` 400 with every error: malformed JSON, a value that is not an array, an empty or too long one, items
    that are not an object with just a text `id`. Contract F1.
    """
    ids, errors = find_ids(body)
    errors.refuse()
    return ids


def find_ids(body: bytearray) -> tuple[list[str], Errors]:
    """Return the ids as `read_ids` does, and the errors of the other items. Raises `Problem` 400 if there are none."""
    found, errors = _split_items(body), Errors()
    has_long = len(body) > settings.API_MAX_BODY_SIZE and any(too_long(item, "") for item in found)
    ids = None if has_long else _plain_ids(body)
    if ids is None:
        ids = [_read_id(item, position, errors) for position, item in enumerate(found)]
    return [id for id in dict.fromkeys(ids) if id], errors


def _split_items(body: bytearray) -> list[msgspec.Raw]:
    """Return the texts of the items. Raises `Problem` 400 if they cannot be found, for none and for too many."""
    text, limit = memoryview(body), settings.API_MAX_BULK_ELEMENTS
    found: list[msgspec.Raw] = []
    try:
        check_kind(text, b"[", 'an array of objects such as {"id": "EUR"}')
        # All at once, unless a large body could become a far larger list.
        with suppress(msgspec.DecodeError, RecursionError):
            found = _split.decode(body) if body.count(b",") < limit else found
        found = found or list(islice(items(text), limit + 1))
    except JsonError as error:
        raise bad_request(error.failures, error.failure_count) from None
    if not found:
        raise bad_request([Failure("", "REQUIRED", "The list is empty; name at least one element.")])
    if len(found) > limit:
        raise bad_request([too_many("items", limit)])
    return found


def _plain_ids(text: bytes | bytearray) -> list[str] | None:
    """Return the ids in the list `text`, which are decoded together; None if it may have an error."""
    try:
        ids = [item.id for item in _plain.decode(text)]
    except (msgspec.DecodeError, RecursionError):
        return None
    # Of a repeated member the decoder keeps one, and the other is an extra colon.
    has_repeated = text.count(b":") != len(ids) + sum(id.count(":") for id in ids)
    return None if has_repeated or _DECEPTIVE_ESCAPE.search(text) else ids


def _read_id(item: msgspec.Raw, position: int, errors: Errors) -> str:
    """Return the id in an item; an empty text if it has an error."""
    path = json_pointer("", position)
    if failure := too_long(item, path):
        errors.add(position, [failure])
        return ""
    text = bytes(item)
    if ids := _plain_ids(b"[%b]" % text):
        return ids[0]
    try:
        value = read_json(text, join=json_pointer, path=path)
        if not isinstance(value, dict):
            message = f'The item must be an object such as {{"id": "EUR"}}, not {described_value(value)}.'
            errors.add(position, [Failure(path, "INVALID", message)])
            return ""
        return str(_declaration.to_internal_value(value)["id"])
    except JsonError as error:
        errors.add(position, error.failures, error.failure_count)
    except ValidationError as error:
        errors.add(position, flatten(error.detail, path, json_pointer))
    return ""
