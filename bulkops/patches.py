"""The entries of `patch` in a bulk body: `{"key": {"id": …}, "data": {…}}` (specification, "Bulk-save body")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.json_reader import JsonError, read_json
from dimensions_site.api.paths import json_pointer
from dimensions_site.api.problems import shortened
from dimensions_site.elements.fields import IdField, Leaf
from dimensions_site.elements.serializers import WireObject
from dimensions_site.rsql.fields import Kind


@dataclass(frozen=True)
class Patch:
    """What is to be changed: the `id` of the element and the JSON text of the changes, as far as they are right."""

    id: str | None
    data: bytes
    failures: Sequence[Failure] = ()
    failure_count: int = 0


class KeyObject(WireObject):
    """What names the element."""

    default_error_messages = {
        "required": 'key is missing; it has to be an object such as {{"id": "EUR"}}.',
        "null": 'key cannot be null; it has to be an object such as {{"id": "EUR"}}.',
    }

    id = IdField(required=True)


class ChangesField(Leaf):
    """The fields to change; what they hold is seen together with the element."""

    kind = Kind.TEXT_MAP

    @property
    def expected(self) -> str:
        return "an object with the fields to change"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            self.refuse(data)
        return data

    def fast_type(self) -> Any:
        return dict

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}


class PatchObject(WireObject):
    """The whole entry."""

    called = "The entry"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # Not as class attributes: a serializer has a property `data` of its own.
        return {"key": KeyObject(), "data": ChangesField(required=True)}


class _Key(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class _Patch(msgspec.Struct, forbid_unknown_fields=True):
    key: _Key
    data: msgspec.Raw


class _Keyed(msgspec.Struct):
    """Of an entry with faults nothing but its key."""

    key: Any = None


_decoder = msgspec.json.Decoder(_Patch)
_keyed = msgspec.json.Decoder(_Keyed)
_declaration = PatchObject()
_id = IdField(required=True)
# Those of the members key, id and data.
_OWN_COLONS = 3


def read_patch(text: msgspec.Raw, pointer: str) -> Patch:
    """The entry `text`, which stands at the JSON Pointer `pointer`, with every fault of it outside of `data`."""
    written = bytes(text)
    try:
        found = _decoder.decode(written)
        id = _id.to_internal_value(found.key.id)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, ValidationError):
        return _read_exactly(written, pointer)
    # Of a member that stands twice the decoder keeps one, and the other is a colon too many; an escaped colon in the id
    # could make up for it.
    data = bytes(found.data)
    if (
        not data.startswith(b"{")
        or b"\\u003" in written
        or written.count(b":") != _OWN_COLONS + id.count(":") + data.count(b":")
    ):
        return _read_exactly(written, pointer)
    return Patch(id, data)


def _read_exactly(text: bytes, pointer: str) -> Patch:
    try:
        found = _declaration.run_validation(read_json(text, join=json_pointer, path=pointer))
    except JsonError as error:
        return Patch(None, b"", _named(error.failures, text), error.failure_count)
    except ValidationError as error:
        failures = _named(flatten(error.detail, pointer, json_pointer), text)
        return Patch(None, b"", failures, len(failures))
    return Patch(found["key"]["id"], bytes(_decoder.decode(text).data))


def _named(failures: Sequence[Failure], text: bytes) -> Sequence[Failure]:
    """The failures of the entry `text` with the id of the element, as far as that can be read."""
    try:
        key = _keyed.decode(text).key
    except (msgspec.MsgspecError, RecursionError):
        return failures
    id = key.get("id") if isinstance(key, dict) else None
    return [replace(failure, id=shortened(id)) for failure in failures] if isinstance(id, str) else failures
