"""The rows that the tables of fields in `docs/integrators.md` have to have, made from a serializer's declaration."""

import re
from collections.abc import Iterator

from dimensions_site.elements import fields, maps, numbers
from dimensions_site.elements.serializers import Reference, WireObject


def field_rows(declaration: WireObject) -> list[list[str]]:
    """The cells of a row for each leaf; a reference is one row, and so are the five custom dimensions."""
    rows = {re.sub(r"customDimension[1-5](?=\.|Filter)", "customDimensionN", row[0]): row for row in _rows(declaration)}
    return [[f"`{path}`", *row[1:]] for path, row in rows.items()]


def _rows(declaration: WireObject, prefix: str = "") -> Iterator[list[str]]:
    for name, declared in declaration.fields.items():
        path = f"{prefix}{name}"
        if isinstance(declared, Reference):
            more = [f"`{member}`" for member in declared.fields if member not in Reference().fields]
            yield [path, " with ".join(["reference", *more]), "", "null", ""]
        elif isinstance(declared, WireObject):
            yield from _rows(declared, f"{path}.")
        elif isinstance(declared, fields.Leaf):
            yield [path, _type(declared), _required(declared), _default(declared), _values(declared)]


def _type(leaf: fields.Leaf) -> str:
    match leaf:
        case fields.IdField():
            return f"id, 1 to {leaf.max_length} characters"
        case fields.EnumField(open_length=int()):
            return f"enum, or text up to {leaf.open_length}"
        case fields.EnumField():
            return "enum"
        case fields.BooleanField():
            return "boolean"
        case numbers.IntegerField():
            return f"integer, {leaf.minimum} to {leaf.maximum}"
        case numbers.CoefficientField():
            return "decimal text or boolean"
        case numbers.DecimalTextField():
            return "decimal text"
        case fields.TimestampField():
            return "timestamp"
        case maps.LanguageMapField():
            return "map of languages"
        case maps.MapField():
            return "map of names"
        case fields.TextField():
            return f"text up to {leaf.max_length:,}"
        case maps.DescriptionField():
            return f"text up to {fields.FREE_TEXT_LENGTH:,}"
    raise TypeError(f"{leaf!r} is of a type that the tables have no words for.")


def _required(leaf: fields.Leaf) -> str:
    if isinstance(leaf, maps.DescriptionField):
        return "or `descriptions`"
    if leaf.read_only:
        return "response only"
    return "yes" if leaf.required else ""


def _default(leaf: fields.Leaf) -> str:
    if leaf.required or leaf.read_only:
        return ""
    if leaf.field_name == "oid":
        return "a new UUID"
    return fields.json_text(leaf.default).strip('"')


def _values(leaf: fields.Leaf) -> str:
    return ", ".join(f"`{value}`" for value in leaf.words)
