"""JSON objects of the wire: what the serializers of the dimensions are declared with.

    class ConversionGroup(Group):                       # an object whose leaves are columns
        conversionType = EnumField(ConversionType, required=True)

    class DebitAndCredit(Bundle):                       # an object kept in a JSON column
        debit = Reference()

A leaf's column follows from its name (`conversionType` is `conversion_type`). A Python keyword takes a
trailing underscore, which the wire does not show (`class_` is `class`).
"""

import re
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from dimensions_site.api.errors import bad_request, flatten
from dimensions_site.elements.details import joined
from dimensions_site.elements.fields import CodeField, FreeTextField, IdField, QuickClone, TextField
from dimensions_site.elements.json_texts import shown
from dimensions_site.elements.spellings import Errors, Spellings, unknown_member
from dimensions_site.elements.timestamps import TimestampField


@cache
def snake_case(name: str) -> str:
    """The column of a wire name: `icSignCheck` is `ic_sign_check`, `equalICSum` is `equal_ic_sum`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class WireObject(QuickClone, serializers.Serializer[Any]):
    """A JSON object with fixed members; unknown members are refused, every fault is reported (contract B1, C5)."""

    # What messages call an object that is no member of another one.
    called: ClassVar[str] = "The element"

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The values to store: of columns by column name, inside a bundle by wire name."""
        if not isinstance(data, Mapping):
            name = self.field_name or self.called
            message = _("{name} cannot be {value}; it has to be an object.").format(name=name, value=shown(data))
            raise ValidationError([ErrorDetail(message, "invalid")])
        errors: dict[str, Any] = {name: unknown_member(name) for name in data if name not in self.fields}
        values: dict[str, Any] = {}
        for name, field in self.fields.items():
            if field.read_only:
                continue
            try:
                value = field.run_validation(data.get(name, empty))
            except ValidationError as error:
                errors[name] = error.detail
            else:
                values |= value if field.source == "*" else {str(field.source): value}
        if errors:
            raise ValidationError(errors)
        return values


class ColumnObject(WireObject):
    """An object whose leaves are columns of the model, named `prefix` and the leaf's name."""

    prefix = ""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        for name, field in fields.items():
            column = self.prefix + snake_case(name)
            if field.source is None and column != name:
                field.source = column
        return fields


class Group(ColumnObject):
    """A nested object of columns. It is always there; left out or null, its leaves are unset (contract C8)."""

    def __init__(self, *, prefix: str = "", read_only: bool = False) -> None:
        self.prefix = prefix
        super().__init__(source="*", read_only=read_only)

    def run_validation(self, data: Any = empty) -> Any:
        return super().run_validation({} if data is None or data is empty else data)


class Bundle(WireObject):
    """An object kept as JSON, in a column or inside another bundle, always complete (contract C8)."""

    # Null, rather than an object without values, when nothing in it is set.
    nullable: ClassVar[bool] = False

    def __init__(self, *, column: str | None = None) -> None:
        super().__init__(source=column, required=False, allow_null=True)

    def run_validation(self, data: Any = empty) -> Any:
        value = super().run_validation({} if data is None or data is empty else data)
        return None if self.nullable and not is_set(value) else value


class Reference(Bundle):
    """Refers to another element by its `id`; null when unset (contract C8).

    `refers_to` is the dimension of that element, where it is one of this service.
    """

    nullable = True

    id = CodeField()
    description = FreeTextField()

    def __init__(self, *, column: str | None = None, refers_to: str | None = None) -> None:
        super().__init__(column=column)
        self._id = CodeField(refers_to=refers_to)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "id": deepcopy(self._id)}


def is_set(value: Any) -> bool:
    """Whether anything in the JSON `value` is other than null."""
    return any(map(is_set, value.values())) if isinstance(value, dict) else value is not None


class UpdateInfoGroup(Group):
    """Who changed the element last, when and from where; never taken from a request (contract C12)."""

    user = TextField(max_length=150, read_only=True)
    date = TimestampField(read_only=True)
    origin = TextField(max_length=20, read_only=True)


class ElementSerializer(ColumnObject):
    """The whole element. The serializer of a dimension is the one declaration of its wire.

    The context holds `repository` (whose default language `description` means), and for an element that
    is named by the path or by a key, `id`; for one that exists, `existing`.
    """

    spellings: ClassVar[Spellings] = Spellings({})
    default_error_messages = {"null": gettext_lazy("The element cannot be null; it has to be an object.")}

    id = IdField(required=True, column="element_id")
    updateInfo = UpdateInfoGroup(prefix="update_", read_only=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        last = fields.pop("updateInfo")  # what was changed stands before who did it
        return {**fields, "updateInfo": last}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The columns to store for the element `data`; raises `ValidationError` with every fault."""
        return self._validated(data, {})

    def validate_patch(self, current: Mapping[str, Any], patch: Any) -> dict[str, Any]:
        """The columns to store for the element `current` (wire JSON) after `patch` (contract C15).

        Objects and maps are merged member by member; null clears. The result is validated as a whole.
        """
        return self._validated(patch, current)

    def check_patch(self, patch: Any) -> None:
        """Raise `ValidationError` for what is wrong with `patch` whatever it would change."""
        try:
            self._validated(patch, {})
        except ValidationError as error:
            # What is missing may be there in the element.
            faults = [fault for fault in flatten(error.detail) if fault.code not in ("REQUIRED", "BLANK")]
            if faults:
                raise bad_request(faults) from None

    def canonical(self, data: Mapping[str, Any], current: Mapping[str, Any]) -> tuple[dict[str, Any], Errors]:
        """`data` in the spelling of responses, and the errors found on the way.

        `current` is the element that `data` will be merged into; empty when it stands for itself.
        """
        result, errors = self.spellings.canonical(data)
        expected = self.context.get("id")
        if expected is not None and result.setdefault("id", expected) != expected:
            errors["id"] = immutable("id", result["id"], expected)
            result["id"] = expected
        return result, errors

    def _validated(self, data: Any, current: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)
        canonical, errors = self.canonical(data, current)
        try:
            values = super().to_internal_value(merged(current, canonical))
        except ValidationError as error:
            raise ValidationError(joined(errors, error.detail)) from None
        if errors:
            raise ValidationError(errors)
        return values


def immutable(name: str, value: object, stored: object) -> list[ErrorDetail]:
    """The error at a field that cannot be changed (contract C1, C2)."""
    message = _("{name} cannot be {value}; of this element it is {stored}, and it never changes.")
    return [ErrorDetail(message.format(name=name, value=shown(value), stored=shown(stored)), "immutable")]


def merged(current: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object `current` after `patch`: objects are merged member by member (contract C15)."""
    result = dict(current)
    for name, value in patch.items():
        present = result.get(name)
        result[name] = merged(present, value) if isinstance(present, dict) and isinstance(value, dict) else value
    return result
