"""The envelopes of bulk requests: which elements a body holds, of which none is built (contract E1, E2, F1)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any, Literal, get_args

import msgspec
from django.conf import settings
from rest_framework.exceptions import ValidationError

from bulkops.faults import Faults
from dimensions_site.api.errors import MAX_FAILURES, Failure, bad_request, flatten, quoted
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.json_text import check_json, first_character, items, members
from dimensions_site.api.paths import json_pointer
from dimensions_site.api.problems import shortened
from dimensions_site.elements.fields import CODE_LENGTH, CodeField
from dimensions_site.elements.json_texts import shown
from dimensions_site.elements.serializers import WireObject

SaveMode = Literal["LOOSE", "STRICT"]

OPERATIONS = ("post", "put", "patch")
_MEMBERS = ("saveMode", *OPERATIONS)
# So many bytes of a wrong value are enough to show it.
_SHOWN_BYTES = 400


@dataclass(frozen=True)
class Envelope:
    """What a bulk body holds: how references are checked, the JSON text of each element by operation, and `failures`,
    with which nothing can be saved, but the elements can be looked at for others."""

    save_mode: SaveMode
    post: Sequence[msgspec.Raw]
    put: Sequence[msgspec.Raw]
    patch: Sequence[msgspec.Raw]
    failures: Sequence[Failure] = ()


def read_envelope(body: bytearray) -> Envelope:
    """Return what the body of a bulk save holds, which is UTF-8 as `BulkBodyParser` gives it.

    Its failures are unknown and repeated members, an unknown save mode, an operation that is no array, no operation at
    all. Raises Problem 400 where the elements cannot be told or are too many: for malformed JSON, another value than an
    object, too many members or elements. Contract E1, E2.
    """
    text = memoryview(body)
    try:
        _check_kind(text, b"{", "an object with post, put or patch")
        found = list(islice(members(text), MAX_FAILURES + 1))
    except JsonError as error:
        raise bad_request(error.failures, error.failure_count) from None
    if len(found) > MAX_FAILURES:
        message = f"The body has more than {MAX_FAILURES:,} members; known are only {', '.join(_MEMBERS)}."
        raise bad_request([Failure("", "TOO_MANY_MEMBERS", message)])
    values = dict(found)
    failures = list(_name_failures(Counter(name for name, _ in found)))
    save_mode = _save_mode(values.get("saveMode"), failures)
    elements = _elements(values, failures)
    return Envelope(save_mode, **elements, failures=failures)


def _check_kind(text: memoryview, opening: bytes, expected: str) -> None:
    """Raise Problem for a value that does not begin with the bracket `opening`, JsonError for no value at all."""
    if first_character(text) != opening:
        check_json(text)
        raise bad_request([_wrong("", "The body", text, expected)])


def _name_failures(counts: Mapping[str, int]) -> Iterator[Failure]:
    if not any(name in counts for name in OPERATIONS):
        message = f"The body has none of {', '.join(OPERATIONS)}; at least one of them has to be there."
        yield Failure("", "REQUIRED", message)
    for name, count in counts.items():
        path = json_pointer("", shortened(name))
        if name not in _MEMBERS:
            nearest = get_close_matches(name, _MEMBERS, n=1)
            hint = f"Did you mean {nearest[0]}?" if nearest else f"Known here are: {', '.join(_MEMBERS)}."
            yield Failure(path, "UNKNOWN_MEMBER", f"There is no field '{shortened(name)}' here. {hint}")
        if count > 1:
            yield Failure(path, "DUPLICATE_KEY", f"The body: the key {quoted(name)} stands more than once.")


def _save_mode(text: msgspec.Raw | None, failures: list[Failure]) -> SaveMode:
    """The mode; absent, it is LOOSE."""
    if text is not None:
        try:
            mode: SaveMode = msgspec.json.decode(text, type=SaveMode)
        except msgspec.ValidationError:
            expected = f"one of {', '.join(get_args(SaveMode))}"
            failures.append(_wrong("/saveMode", "saveMode", memoryview(text), expected))
        else:
            return mode
    return "LOOSE"


def _elements(values: Mapping[str, msgspec.Raw], failures: list[Failure]) -> dict[str, list[msgspec.Raw]]:
    """The texts of the elements by operation. Raises Problem 400 for too many of them."""
    limit: int = settings.API_MAX_BULK_ELEMENTS
    elements: dict[str, list[msgspec.Raw]] = {name: [] for name in OPERATIONS}
    room = limit
    for name in OPERATIONS:
        text = memoryview(values.get(name, b"[]"))
        if first_character(text) != b"[":
            failures.append(_wrong(f"/{name}", name, text, "an array of elements"))
        elif room >= 0:
            elements[name] = list(islice(items(text), room + 1))
            room -= len(elements[name])
    if room < 0:
        raise bad_request([*failures, _too_many(f"elements in {', '.join(OPERATIONS)} together", limit)])
    return elements


def _wrong(path: str, name: str, text: memoryview, expected: str) -> Failure:
    found = bytes(text[:_SHOWN_BYTES]).decode(errors="ignore").strip()
    return Failure(path, "INVALID", f"{name} cannot be {shortened(found)}; it has to be {expected}.")


def _too_many(what: str, limit: int) -> Failure:
    return Failure("", "TOO_MANY_ELEMENTS", f"The body has more than {limit:,} {what}; send them in several requests.")


# --- Bulk deletion -----------------------------------------------------------------------------


class AnyIdField(CodeField):
    """An id that somebody asks for: one that no element can have is merely not found."""

    @property
    def expected(self) -> str:
        return f"a text of 1 to {self.max_length} characters"

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text:
            self.refuse(data)
        return text

    def schema(self) -> dict[str, Any]:
        return {**super().schema(), "minLength": 1}


class DeletionItem(WireObject):
    """An item of the list of elements to delete."""

    id = AnyIdField(required=True)


class _Item(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The same for the fast reader."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=CODE_LENGTH)]


_fast_decoder = msgspec.json.Decoder(list[_Item])
# NUL, which is no character of an id, and the colon, which could make up for that of a repeated member.
_DECEPTIVE_ESCAPE = re.compile(rb"\\u00(?:00|3[aA])")
_declaration = DeletionItem()


def read_ids(body: bytearray) -> list[str]:
    """Return the ids in the body of a bulk deletion, each once, in their order; the body is that of `BulkBodyParser`.

    Raises Problem 400 with every fault: malformed JSON, another value than an array, an empty or too long one, items
    that are not an object with just a text `id`. Contract F1.
    """
    ids = _fast_ids(body)
    if ids is None:
        ids = _exact_ids(memoryview(body))
    return list(dict.fromkeys(ids))


def _fast_ids(body: bytearray) -> list[str] | None:
    """The ids; None when there is anything that has to be looked at closely."""
    # There are no more items than opening braces, so that a large body does not become a far larger list.
    if body.count(b"{") > settings.API_MAX_BULK_ELEMENTS or _DECEPTIVE_ESCAPE.search(body):
        return None
    try:
        ids = [item.id for item in _fast_decoder.decode(body)]
    except (msgspec.DecodeError, RecursionError):
        return None
    # Of a member that stands twice the decoder keeps one, and the other is a colon too many.
    if not ids or body.count(b":") != len(ids) + sum(id.count(":") for id in ids):
        return None
    return ids


def _exact_ids(text: memoryview) -> list[str]:
    limit: int = settings.API_MAX_BULK_ELEMENTS
    try:
        _check_kind(text, b"[", 'an array of objects such as {"id": "EUR"}')
        found = list(islice(items(text), limit + 1))
    except JsonError as error:
        raise bad_request(error.failures, error.failure_count) from None
    if not found:
        raise bad_request([Failure("", "REQUIRED", "The list is empty; at least one element has to be named.")])
    if len(found) > limit:
        raise bad_request([_too_many("items", limit)])
    faults = Faults()
    ids = [_exact_id(item, position, faults) for position, item in enumerate(found)]
    faults.refuse()
    return ids


def _exact_id(item: msgspec.Raw, position: int, faults: Faults) -> str:
    """The id in an item; an empty text when it has a fault."""
    path = json_pointer("", position)
    try:
        value = read_json(bytes(item), join=json_pointer, path=path)
        if not isinstance(value, dict):
            message = f'The item cannot be {shown(value)}; it has to be an object such as {{"id": "EUR"}}.'
            faults.add(position, [Failure(path, "INVALID", message)])
            return ""
        return str(_declaration.to_internal_value(value)["id"])
    except JsonError as error:
        faults.add(position, error.failures, error.failure_count)
    except ValidationError as error:
        faults.add(position, flatten(error.detail, path, json_pointer))
    return ""
