"""The JSON schemas of elements for OpenAPI, derived from their declaration (contract C4 to C8, H3; design/openapi.md).

Responses, requests and patches differ: responses are complete, requests may leave out what is not required, and a patch
may leave out everything. `ElementSerializer` itself stands for the element of the view's dimension.
"""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.plumbing import build_object_type
from drf_spectacular.utils import Direction

from dimensions_site.elements.declaration.maps import DescriptionField, DescriptionsField, MapField
from dimensions_site.elements.declaration.serializers import ElementSerializer, WireObject

SchemaPart = dict[str, Any]


class WireExtension(OpenApiSerializerExtension):
    """The schema of an object."""

    target_class = WireObject
    match_subclasses = True

    @property
    def is_patch(self) -> bool:
        """Whether a request may leave out everything."""
        return bool(self.target.root.partial)

    def map_serializer(self, auto_schema: Any, direction: Direction) -> SchemaPart:
        """Return the schema of the object; a nullable one says so itself, because clients lose a null beside `$ref`."""
        is_answer = direction == "response"
        members = self.target.fields.items()
        properties = {name: self._member(member, auto_schema, direction) for name, member in members}
        required = [] if self.is_patch else [name for name, member in members if is_answer or is_required(member)]
        # Later releases of v1 may return more members; requests are strict (contract C5, M4).
        schema: SchemaPart = build_object_type(properties, required, additionalProperties=is_answer)
        if not is_answer and any(isinstance(member, DescriptionField) for _name, member in members):
            self._describe_both(schema)
        is_nullable = self.target.nullable if is_answer else not is_required(self.target)
        return {**schema, "nullable": True} if is_nullable else schema

    def _member(self, member: Any, auto_schema: Any, direction: Direction) -> SchemaPart:
        is_answer = direction == "response"
        if not is_answer and member.read_only and not isinstance(member, DescriptionField):
            return {"description": "Accepted and ignored, so that a response can be sent back."}
        if isinstance(member, WireObject):
            reference: SchemaPart = auto_schema.resolve_serializer(member, direction).ref
            return reference
        # At least one text is required when an element is created. A patch may leave it to the stored element.
        as_answered = is_answer or (self.is_patch and isinstance(member, DescriptionsField))
        schema = member.schema() if as_answered else member.request_schema()
        if isinstance(member, MapField):
            schema = {**schema, "description": f"{member.key_expected[:1].upper()}{member.key_expected[1:]}."}
        return _nullable(schema) if member.allow_null or isinstance(member, DescriptionField) else schema

    def _describe_both(self, schema: SchemaPart) -> None:
        """Say in the `schema` of a request that the default language may be in either of two members (contract C4)."""
        properties = schema["properties"]
        properties["descriptions"]["description"] = (
            "Language to text. A string in place of the object is the text in the default language of the repository."
        )
        properties["description"]["description"] = (
            "The text in the default language of the repository; if `descriptions` has it too, both must be the same."
        )
        if not self.is_patch:
            # Only the description says that one of the two is required: from an `anyOf` beside `properties` client
            # generators make a type without the other members.
            schema["required"].remove("descriptions")
            schema["description"] = "Needs `descriptions` or `description`: a text in at least one language."


class ElementExtension(WireExtension):
    """The element of the view's dimension: in responses, or in one of its requests.

    A kind of element with a method `complete_schema` returns by it what differs.
    """

    target_class = ElementSerializer
    priority = 1

    @property
    def is_patch(self) -> bool:
        return bool(self.target.partial)  # in the body of a bulk save the element is not the outermost object

    def map_serializer(self, auto_schema: Any, direction: Direction) -> SchemaPart:
        complete = getattr(self.target, "complete_schema", None)
        self.target = auto_schema.view.dimension.wire.serializer(partial=self.target.partial)
        schema = super().map_serializer(auto_schema, direction)
        if direction == "request" and not self.is_patch and auto_schema.method == "PUT":
            schema["required"].remove("id")
        return schema if complete is None else complete(schema)


class ElementSelection(ElementSerializer):
    """An element of which only selected members are returned (contract D8)."""

    def complete_schema(self, schema: SchemaPart) -> SchemaPart:
        properties = {
            name: _selected_group(name) if "$ref" in part else part for name, part in schema["properties"].items()
        }
        properties["description"] = {"type": "string", "nullable": True}
        # Without a type: from a text or a map OpenAPI Generator makes Java that does not compile.
        properties["descriptions"] = {
            "description": "For `descriptions` the text in the default language or null, for `descriptions.<language>` "
            "and `descriptions.*` an object from language to text."
        }
        return build_object_type(properties, additionalProperties=True, minProperties=1)


def _selected_group(name: str) -> SchemaPart:
    description = f"The selected members of `{name}`."
    return {"type": "object", "nullable": True, "additionalProperties": True, "description": description}


def is_required(member: Any) -> bool:
    """Return whether a request must have `member`: a required leaf, or an object with one in it."""
    if isinstance(member, WireObject):
        return not member.read_only and any(is_required(inner) for inner in member.fields.values())
    return bool(member.required)


def _nullable(schema: SchemaPart) -> SchemaPart:
    if "oneOf" in schema or "enum" in schema:
        # `nullable` means nothing without a `type` beside it, and client generators ignore it inside the branches. They
        # take a null of the type string for one more value of an enum.
        type = "boolean" if "enum" in schema else "string"
        return {"oneOf": [*schema.get("oneOf", [schema]), {"type": type, "nullable": True, "enum": [None]}]}
    return {**schema, "nullable": True}
