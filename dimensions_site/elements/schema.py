"""The JSON schemas of an element for OpenAPI, derived from the declaration of its wire (contract C4 to C8, H3).

Each object of the wire becomes a component. What is answered, what is sent and what a patch may hold differ:
answers are complete, requests may leave out what is not required, and a patch may leave out everything.
"""

import enum
from collections.abc import Mapping
from typing import Any

from dimensions_site.api.components import Part
from dimensions_site.api.schema import schema_ref
from dimensions_site.elements.fields import Leaf
from dimensions_site.elements.maps import BLANK, DescriptionField, DescriptionsField, MapField
from dimensions_site.elements.serializers import Bundle, ElementSerializer, WireObject


class Use(enum.StrEnum):
    """For what an object is described; the value ends the names of its component and of those in it."""

    ANSWER = ""
    REQUEST = "Request"
    PATCH = "Patch"


def element_schemas(declaration: ElementSerializer, noun: str) -> Mapping[str, Part]:
    """The components of the element `declaration`, by name, whose own names begin with `noun`.

    They are `<noun>` (as answered), `<noun>Selection` (with selected members only), `<noun>Create`,
    `<noun>Replace`, `<noun>Patch`, and one for each object inside.
    """
    schemas = _Schemas()
    create = schemas.object(declaration, Use.REQUEST)
    elements = {
        noun: schemas.object(declaration, Use.ANSWER),
        f"{noun}Selection": schemas.selection(declaration),
        f"{noun}Create": create,
        f"{noun}Replace": {**create, "required": [name for name in create["required"] if name != "id"]},
        f"{noun}Patch": schemas.object(declaration, Use.PATCH),
    }
    return elements | schemas.inside


def request_schema(declaration: WireObject) -> Part:
    """The schema of an object of leaves in a request."""
    return _Schemas().object(declaration, Use.REQUEST)


class _Schemas:
    """Describes objects and collects in `inside` the components of those that are nested in them."""

    def __init__(self) -> None:
        self.inside: dict[str, Part] = {}

    def object(self, declaration: WireObject, use: Use) -> Part:
        """The schema of `declaration`, other than null."""
        properties = {name: self._member(member, use) for name, member in declaration.fields.items()}
        required = [name for name, member in declaration.fields.items() if use is Use.ANSWER or _is_required(member)]
        schema: Part = {"type": "object", "properties": properties, "additionalProperties": False}
        if required and use is not Use.PATCH:
            schema["required"] = required
        if use is not Use.ANSWER and any(
            isinstance(member, DescriptionField) for member in declaration.fields.values()
        ):
            return _with_description(schema, use)
        return schema

    def selection(self, declaration: ElementSerializer) -> Part:
        """The schema of an element of which only selected members are answered (contract D8)."""
        properties = {
            name: {"type": "object", "nullable": True, "description": f"The selected members of `{name}`."}
            if isinstance(member, WireObject)
            else self._member(member, Use.ANSWER)
            for name, member in declaration.fields.items()
        }
        text = {"type": "string", "nullable": True}
        properties["description"] = text
        properties["descriptions"] = {"anyOf": [text, properties["descriptions"]]}
        return {"type": "object", "properties": properties, "additionalProperties": False, "minProperties": 1}

    def _member(self, member: Any, use: Use) -> Part:
        if use is not Use.ANSWER and member.read_only and not isinstance(member, DescriptionField):
            return {"description": "Accepted, so that an answer can be sent back, and ignored."}
        if isinstance(member, WireObject):
            return self._nested(member, use)
        if not isinstance(member, Leaf):
            raise TypeError(f"{member.field_name} is neither a leaf nor an object of the wire")
        return _leaf(member, use)

    def _nested(self, declaration: WireObject, use: Use) -> Part:
        if use is Use.PATCH and not _is_required(declaration):
            use = Use.REQUEST  # nothing in it is required anyway
        name = type(declaration).__name__.removesuffix("Group").removesuffix("Bundle") + use
        if name not in self.inside:
            schema = self.object(declaration, use)
            answered_null = isinstance(declaration, Bundle) and declaration.nullable
            is_nullable = answered_null if use is Use.ANSWER else not _is_required(declaration)
            self.inside[name] = {**schema, "nullable": True} if is_nullable else schema
        return schema_ref(name)


def _is_required(member: Any) -> bool:
    """Whether a request has to have `member`: a required leaf, or an object with one in it."""
    if isinstance(member, WireObject):
        return not member.read_only and any(_is_required(inner) for inner in member.fields.values())
    return bool(member.required)


def _leaf(leaf: Leaf, use: Use) -> Part:
    schema = leaf.schema() if use is Use.ANSWER else leaf.request_schema()
    if isinstance(leaf, DescriptionsField) and use is not Use.REQUEST:
        # That one text says something is asked of what a request makes. A patch may leave that to what is stored.
        schema = MapField.schema(leaf)
    if isinstance(leaf, MapField):
        schema = {**schema, "description": f"{leaf.key_expected[:1].upper()}{leaf.key_expected[1:]}."}
    if leaf.allow_null or isinstance(leaf, DescriptionField):
        schema = {**schema, "nullable": True}
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return schema


def _with_description(schema: Part, use: Use) -> Part:
    """The schema of a request that may tell the default language by itself, in either of two members (contract C4)."""
    properties = schema["properties"]
    text = {**properties["description"], "nullable": False}
    if use is Use.REQUEST:
        text["pattern"] = f"[^{BLANK[1:]}"
    described: Part = {
        **schema,
        "properties": {
            **properties,
            "descriptions": {
                "anyOf": [properties["descriptions"], text],
                "description": "Language to text, or the text in the default language of the repository.",
            },
            "description": {
                **properties["description"],
                "description": "The text in the default language of the repository; beside `descriptions` it has "
                "to be the same as there.",
            },
        },
    }
    if use is Use.REQUEST:
        described["required"] = [name for name in schema["required"] if name != "descriptions"]
        described["anyOf"] = [
            {"required": ["descriptions"]},
            {"required": ["description"], "properties": {"description": text}},
        ]
    return described
