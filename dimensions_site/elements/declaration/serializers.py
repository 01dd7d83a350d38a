"""The base classes of the serializers that declare each dimension's JSON (design/declaration.md).

    class ConversionGroup(Group):                       # an object whose leaves are columns
        conversionType = EnumField(ConversionType, required=True)

    class DebitAndCredit(Bundle):                       # an object stored in a JSON column
        debit = Reference()

A leaf's column follows from its name (`conversionType` is `conversion_type`). A Python keyword takes a trailing
underscore, which the JSON does not show (`class_` is `class`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from itertools import islice
from typing import Any, ClassVar

from django.db.models import Field
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from dimensions_site.api.errors import bad_request, flatten
from dimensions_site.api.failures import MAX_COUNTED, wire_path
from dimensions_site.api.json.texts import merge_objects, shown_value
from dimensions_site.elements.declaration.fields import NO_CONTEXT, ElementContext
from dimensions_site.elements.declaration.labels import path_of
from dimensions_site.elements.declaration.members import (
    ErrorTree,
    Homes,
    Spellings,
    join_details,
    not_an_object,
    unknown_member,
)
from dimensions_site.elements.declaration.texts import CodeField, FreeTextField, IdField, TextField
from dimensions_site.elements.declaration.timestamps import TimestampField
from dimensions_site.elements.models import json_column
from dimensions_site.rsql.fields import ValueKind


@cache
def snake_case(name: str) -> str:
    """Return the column for a wire name: `icSignCheck` is `ic_sign_check`, `equalICSum` is `equal_ic_sum`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def with_sources(fields: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the `fields`, each with its name in snake case after the `prefix` as its source, unless it has another."""
    for name, field in fields.items():
        column = prefix + snake_case(name)
        if field.source is None and column != name:
            field.source = column
    return fields


class WireObject(serializers.Serializer[Any]):
    """A JSON object with fixed members; unknown members are rejected and every error is reported (contract B1, C5)."""

    # How messages name an object that is not a member of another one.
    called: ClassVar[str] = "The element"
    # Of the outermost object, for its members, too.
    spellings: ClassVar[Spellings] = Spellings({})
    # Whether null is stored instead of an object in which nothing is set (contract C8); only a bundle can be.
    nullable: ClassVar[bool] = False

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}

    @cached_property
    def homes(self) -> Homes:
        """For each name of a member, the paths of the objects, this one and those in it, that have it."""
        homes: dict[str, list[str]] = {}
        _add_homes(self, "", homes)
        return {name: tuple(paths) for name, paths in homes.items()}

    @cached_property
    def _written(self) -> list[tuple[str, Any, str | None]]:
        """Return the writable members, each with its name and its column (None for an object of columns)."""
        return [
            (name, field, None if field.source == "*" else str(field.source))
            for name, field in self.fields.items()
            if not field.read_only
        ]

    def run_validation(self, data: Any = empty, context: ElementContext = NO_CONTEXT) -> Any:
        """Return the values to store, as the framework does without validators, in a fraction of the time."""
        is_final, data = self.validate_empty_values(data)
        if is_final:
            return data
        return self.validate(self.to_internal_value(data, context))

    def to_internal_value(self, data: Any, context: ElementContext = NO_CONTEXT) -> dict[str, Any]:
        """Return the values to store: columns by column name, members of a bundle by wire name."""
        if not isinstance(data, Mapping):
            raise ValidationError([not_an_object(path_of(self) or self.called, data)])
        unknown = islice((name for name in data if name not in self.fields), MAX_COUNTED + 1)
        errors: dict[str, Any] = {name: self._unknown(name) for name in unknown}
        values: dict[str, Any] = {}
        for name, field, column in self._written:
            try:
                value = field.run_validation(data.get(name, empty), context)
            except ValidationError as error:
                errors[name] = error.detail
            else:
                if column is None:
                    values |= value
                else:
                    values[column] = value
        if errors:
            raise ValidationError(errors)
        return values

    def _unknown(self, name: str) -> list[ErrorDetail]:
        root: Any = self.root
        return unknown_member(name, path_of(self), tuple(self.fields), root.homes, tuple(root.spellings.alternatives))


class NestedObject(WireObject):
    """An object in another one. If it is left out or null, it is treated like an empty object (contract C8)."""

    def run_validation(self, data: Any = empty, context: ElementContext = NO_CONTEXT) -> Any:
        return self._unset if data is None or data is empty else self._stored(data, context)

    @cached_property
    def _unset(self) -> Any:
        """Return what is stored for an empty object. It is the same for every element, so it is found once."""
        return self._stored({}, NO_CONTEXT)

    def _stored(self, data: Any, context: ElementContext) -> Any:
        return super().run_validation(data, context)


class ColumnObject(WireObject):
    """An object whose leaves are columns of the model, named `prefix` plus the leaf's name."""

    prefix = ""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return with_sources(super().get_fields(), self.prefix)


class Group(NestedObject, ColumnObject):
    """A nested object of columns. It always exists; if it is left out or null, its leaves are unset (contract C8)."""

    def __init__(self, *, prefix: str = "", **kwargs: Any) -> None:
        self.prefix = prefix
        super().__init__(source="*", **kwargs)


def columns_in(declaration: WireObject, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves and bundles that are columns, in the order of the declaration, each with its wire path."""
    for name, member in declaration.fields.items():
        if isinstance(member, Group):
            yield from columns_in(member, f"{path}{name}.")
        else:
            yield f"{path}{name}", member


class Bundle(NestedObject):
    """An object stored as JSON, in a column or inside another bundle, always complete (contract C8)."""

    def __init__(self, *, column: str | None = None, **kwargs: Any) -> None:
        super().__init__(source=column, required=False, allow_null=True, **kwargs)

    def _stored(self, data: Any, context: ElementContext) -> Any:
        value = super()._stored(data, context)
        return None if self.nullable and not is_set(value) else value

    def model_field(self) -> "Field[Any, Any]":
        return json_column(null=self.nullable)


class Reference(Bundle):
    """A reference to another element by its `id`; null when unset (contract C8).

    `refers_to` is the dimension of that element, if this service has it.
    """

    nullable = True

    id = CodeField()
    description = FreeTextField(
        label=gettext_lazy("Description"), help_text=gettext_lazy("The text that is stored beside the id.")
    )

    def __init__(self, *, refers_to: str | None = None, help_text: Any = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._id = CodeField(refers_to=refers_to, label=gettext_lazy("Id"), help_text=help_text)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "id": deepcopy(self._id)}


def _add_homes(declaration: WireObject, path: str, homes: dict[str, list[str]]) -> None:
    for name, member in declaration.fields.items():
        homes.setdefault(name, []).append(path)
        if isinstance(member, WireObject):
            _add_homes(member, wire_path(path, name), homes)


def is_set(value: Any) -> bool:
    """Return whether anything in the JSON `value` is not null."""
    return any(map(is_set, value.values())) if isinstance(value, dict) else value is not None


class UpdateInfoGroup(Group):
    """Who changed the element last, when and from where; never taken from a request (contract C12)."""

    user = TextField(max_length=150, read_only=True, label=gettext_lazy("Changed by"))
    date = TimestampField(read_only=True, label=gettext_lazy("Changed on"))
    origin = TextField(max_length=20, read_only=True, label=gettext_lazy("Changed through"))


class ElementSerializer(ColumnObject):
    """The whole element. A dimension's serializer is the only declaration of its JSON.

    One instance, that of its `Wire`, serves all threads: what else decides on an element is an `ElementContext`.
    """

    default_error_messages = {"null": gettext_lazy("The element must be an object, not null.")}

    # What files of other programs call fields, besides their labels, by wire path; and values, by `path=value`.
    also_called: ClassVar[Mapping[str, Sequence[str]]] = {
        "descriptions": ("Name", "Text"),
        "descriptions.de": ("Bezeichnung",),
        "descriptions.fr": ("Libellé", "Intitulé"),
    }

    id = IdField(
        required=True,
        column="element_id",
        label=gettext_lazy("Id"),
        help_text=gettext_lazy("The code by which everybody knows it. It never changes afterwards."),
    )
    updateInfo = UpdateInfoGroup(prefix="update_", read_only=True, label=gettext_lazy("Last change"))

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        last = fields.pop("updateInfo")  # the values come before `updateInfo`
        return {**fields, "updateInfo": last}

    @property
    def maps(self) -> list[str]:
        return [name for name, field in self.fields.items() if getattr(field, "kind", None) is ValueKind.TEXT_MAP]

    def to_internal_value(self, data: Any, context: ElementContext = NO_CONTEXT) -> dict[str, Any]:
        """Return the columns to store for the element `data`. Raises `ValidationError` with every error."""
        return self._validated(data, {}, context)

    def validate_patch(
        self, current: Mapping[str, Any], patch: Any, context: ElementContext, *, removes: bool = False
    ) -> dict[str, Any]:
        """Return the columns to store for the element `current` (wire JSON) after `patch` (contract C15).

        Objects and maps are merged member by member. Null clears, or `removes` the entry of a map. The result is
        validated as a whole.
        """
        return self._validated(patch, current, context, removes=removes)

    def check_patch(self, patch: Any, context: ElementContext, *, removes: bool = False) -> None:
        """Raise `Problem` 400 for errors in `patch` that do not depend on the element."""
        try:
            self._validated(patch, {}, context, removes=removes)
        except ValidationError as error:
            # The element may have what is missing.
            others = [other for other in flatten(error.detail) if other.code not in ("REQUIRED", "BLANK")]
            if others:
                raise bad_request(others) from None

    def canonical(self, data: Mapping[str, Any], context: ElementContext) -> tuple[dict[str, Any], ErrorTree]:
        """Return an element or a patch in the spelling of responses, and the errors found."""
        result, errors = self.spellings.canonical(data, self.homes)
        expected = context.id
        if expected is not None and result.setdefault("id", expected) != expected:
            errors["id"] = immutable("id", result["id"], expected)
            result["id"] = expected
        return result, errors

    def _validated(
        self, data: Any, current: Mapping[str, Any], context: ElementContext, *, removes: bool = False
    ) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data, context)
        canonical, errors = self.canonical(data, context)
        try:
            merged = merge_objects(current, canonical, self.maps if removes else ())
            values = super().to_internal_value(merged, context)
        except ValidationError as error:
            raise ValidationError(join_details(errors, error.detail)) from None
        if errors:
            raise ValidationError(errors)
        return values


def immutable(name: str, value: object, stored: object) -> list[ErrorDetail]:
    """Return the error for a field that cannot be changed (contract C1, C2)."""
    message = _("{name} never changes and must be {stored}; got {value}.")
    return [ErrorDetail(message.format(name=name, value=shown_value(value), stored=shown_value(stored)), "immutable")]
