"""The entries of `patch` in a bulk body: `{"key": {"id": …}, "data": {…}}` (specification, "Bulk-save body")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from django.conf import settings
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.failures import json_pointer
from dimensions_site.api.json.reader import JsonError, read_json
from dimensions_site.elements.declaration.fields import ElementContext, Leaf
from dimensions_site.elements.declaration.labels import path_of
from dimensions_site.elements.declaration.members import all_fields, not_an_object
from dimensions_site.elements.declaration.serializers import WireObject
from dimensions_site.elements.declaration.texts import IdField
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import unknown_field


def too_long(text: msgspec.Raw | bytes | bytearray, pointer: str) -> Failure | None:
    """Return the failure if the element `text` at `pointer` would be too large to be sent alone; else None.

    Naming all its errors would take many times its length in memory.
    """
    length, maximum = memoryview(text).nbytes, settings.API_MAX_BODY_SIZE
    if length <= maximum:
        return None
    message = f"The element must not have more than {maximum:,} bytes as it is sent; it has {length:,}."
    return Failure(pointer, "TOO_LARGE", message)


@dataclass(frozen=True)
class Patch:
    """A change: the `id` of the element, empty if it is wrong, and the JSON text of the changes, empty if it cannot be
    read.
    """

    id: str
    data: bytes
    failures: Sequence[Failure] = ()
    failure_count: int = 0


class KeyField(IdField):
    """An id that may also be unknown, which is not an error here."""

    def value_in(self, data: Any, context: ElementContext) -> str:
        return self.to_internal_value(data)


class KeyObject(WireObject):
    """The `key` of an entry, which names the element."""

    default_error_messages = {
        "required": 'key is missing; it must be an object such as {{"id": "EUR"}}.',
        "null": 'key must be an object such as {{"id": "EUR"}}, not null.',
    }

    id = KeyField(required=True)


class ChangesField(Leaf):
    """The fields to change; their values are checked together with the element."""

    kind = ValueKind.TEXT_MAP

    @property
    def expected(self) -> str:
        return "an object with the fields to change"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValidationError([not_an_object(path_of(self), data)])
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

    def _unknown(self, name: str) -> list[ErrorDetail]:
        [error] = super()._unknown(name)
        if error == unknown_field(name) + all_fields():
            # Most often a field of the element, sent as for `put`.
            advice = "The entry takes key and data; the fields to change stand in data."
            return [ErrorDetail(f"{unknown_field(name)} {advice}", error.code)]
        return [error]


class _Key(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class _Patch(msgspec.Struct, forbid_unknown_fields=True):
    key: _Key
    data: msgspec.Raw


class _Keyed(msgspec.Struct):
    """What can be read of an entry with errors."""

    key: Any = None
    data: msgspec.Raw = msgspec.Raw(b"")


_decoder = msgspec.json.Decoder(_Patch)
_keyed = msgspec.json.Decoder(_Keyed)
_declaration = PatchObject()
_id = KeyField(required=True)
# Those of the members key, id and data.
_OWN_COLONS = 3


def read_patch(text: msgspec.Raw | bytes, pointer: str) -> Patch:
    """Read the entry `text` at the JSON Pointer `pointer`, with every error in it outside of `data`."""
    written = bytes(text)
    try:
        found = _decoder.decode(written)
        id = _id.to_internal_value(found.key.id)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, ValidationError):
        return _read_exactly(written, pointer)
    # Of a repeated member the decoder keeps one, and the other is an extra colon; an escaped colon in the id could hide
    # that.
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
        return Patch("", b"", named_failures(error.failures, _peek(text)[0]), error.failure_count)
    except ValidationError as error:
        id, data = _peek(text)
        failures = named_failures(flatten(error.detail, pointer, json_pointer), id)
        is_wrong = not isinstance(id, str) or any(failure.path == f"{pointer}/key/id" for failure in failures)
        # The changes are checked, too, and whether there is such an element.
        return Patch("" if is_wrong else id, data if data.startswith(b"{") else b"{}", failures, len(failures))
    return Patch(found["key"]["id"], bytes(_decoder.decode(text).data))


def _peek(text: bytes) -> tuple[Any, bytes]:
    """Return what stands as the id in the entry `text`, and as the changes."""
    try:
        found = _keyed.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None, b""
    return found.key.get("id") if isinstance(found.key, dict) else None, bytes(found.data)


def named_failures(failures: Sequence[Failure], id: object) -> Sequence[Failure]:
    """Return the `failures` of an element with its `id`, if that is a text."""
    return [replace(failure, id=shortened(id)) for failure in failures] if isinstance(id, str) else failures
