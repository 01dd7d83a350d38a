"""The tables of `docs/integrators/fields.md`, made from the declarations of the fields."""

import re
from collections.abc import Iterator

from dimensions_site.api.json import texts as json_texts
from dimensions_site.elements.declaration import choices, fields, maps, numbers, texts, timestamps
from dimensions_site.elements.declaration.serializers import Reference, WireObject
from tests.dimensions import WIRES

# What the tables call each type of leaf; the first that fits counts.
_TYPES: list[tuple[type[fields.Leaf], str]] = [
    (texts.IdField, "id, 1 to {leaf.max_length} characters"),
    (texts.TextField, "text up to {leaf.max_length:,}"),
    (choices.EnumField, "enum"),
    (choices.BooleanField, "boolean"),
    (timestamps.TimestampField, "timestamp"),
    (numbers.IntegerField, "integer, {leaf.minimum} to {leaf.maximum}"),
    (numbers.CoefficientField, "decimal text or boolean"),
    (numbers.DecimalTextField, "decimal text"),
    (maps.LanguageMapField, "map of languages"),
    (maps.MapField, "map of names"),
    (maps.DescriptionField, f"text up to {texts.FREE_TEXT_LENGTH:,}"),
]


def with_tables(page: str) -> str:
    """Return the text of the `page` with the rows that its tables must have. Raises ValueError if it lacks a table."""
    for dimension, wire in WIRES.items():
        rows = "".join(f"| {' | '.join(cells)} |\n" for cells in _field_rows(wire.declaration))
        table = re.search(rf"(?ms)^## {dimension.title()}$.*?^\|---[^\n]*\n((?:\|[^\n]*\n)*)", page)
        if table is None:
            raise ValueError(f"The page has no table of the {dimension}.")
        page = f"{page[: table.start(1)]}{rows}{page[table.end(1) :]}"
    return page


def _field_rows(declaration: WireObject) -> list[list[str]]:
    """Return the cells of a row for each leaf; a reference is one row, and so are the five custom dimensions."""
    rows = {re.sub(r"customDimension[1-5](?=\.|Filter)", "customDimensionN", row[0]): row for row in _rows(declaration)}
    return [[f"`{path}`", *row[1:]] for path, row in rows.items()]


def _rows(declaration: WireObject, prefix: str = "") -> Iterator[list[str]]:
    for name, declared in declaration.fields.items():
        path = f"{prefix}{name}"
        if isinstance(declared, Reference):
            more = [f" with `{member}`" for member, _ in declared.fields.items() if member not in {"id", "description"}]
            yield [path, "".join(["reference", *more]), "", "null", ""]
        elif isinstance(declared, WireObject):
            yield from _rows(declared, f"{path}.")
        elif isinstance(declared, fields.Leaf):
            values = ", ".join(f"`{value}`" for value in declared.words)
            yield [path, _type(declared), _required(declared), _default(declared), values]


def _type(leaf: fields.Leaf) -> str:
    words = next(words for kind, words in _TYPES if isinstance(leaf, kind)).format(leaf=leaf)
    if isinstance(leaf, choices.EnumField) and leaf.open_length is not None:
        return f"{words}, or text up to {leaf.open_length}"
    return words


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
    return json_texts.json_text(leaf.default).strip('"')
