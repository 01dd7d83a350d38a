"""The path, query and header parameters of a dimension as its OpenAPI document tells them (contract A3, C16, D)."""

from collections.abc import Collection, Iterable

from django.conf import settings

from dimensions_site.api.components import Part
from dimensions_site.elements.fields import CODE_LENGTH, ID_PATTERN
from dimensions_site.elements.selection import MAX_PROPERTIES
from dimensions_site.elements.selection import PARAMETER as PROPERTIES
from dimensions_site.elements.wire import Wire
from dimensions_site.idempotency import keys as idempotency_keys
from dimensions_site.repositories.models import DB_ID_PATTERN
from dimensions_site.rsql.fields import Kind
from dimensions_site.rsql.limits import MAX_CONDITIONS, MAX_DEPTH, MAX_LENGTH, MAX_VALUES
from dimensions_site.rsql.operators import OPERATORS, listed
from dimensions_site.rsql.sorting import MAX_FIELDS

REPOSITORY: Part = {
    "name": "dbID",
    "in": "path",
    "required": True,
    "description": "The database (repository) that is addressed.",
    "schema": {"type": "string", "pattern": f"^{DB_ID_PATTERN}$", "example": "northwind"},
}

SORT: Part = {
    "name": "sort",
    "in": "query",
    "description": "The fields to sort by, separated by `,` or `;`. Descending is written `-field`, `field:desc` or "
    f"`field,desc` (ascending `:asc`, `,asc`). At most {MAX_FIELDS} fields, any that `filter` knows; of a map one "
    "entry, `descriptions.en`. Elements without a value come last, and the id is always the last key. Texts sort by "
    "code point, decimal numbers and dates by value.",
    "schema": {"type": "string", "format": "sort", "minLength": 1, "example": "-updateInfo.date,id"},
}

SKIP: Part = {
    "name": "skip",
    "in": "query",
    "required": False,
    "description": "Number of entries to leave out before the first one that is returned; 0 when absent.",
    "schema": {"type": "integer", "format": "int64", "minimum": 0},
}

TAKE: Part = {
    "name": "take",
    "in": "query",
    "required": False,
    "description": "Largest number of entries to return; all when absent.",
    "schema": {"type": "integer", "format": "int64", "minimum": 0},
}

PREFER: Part = {
    "name": "Prefer",
    "in": "header",
    "description": "`count=exact` adds the number of selected elements as `X-Total-Count`. Others are ignored.",
    "schema": {"type": "string", "example": "count=exact"},
}

IDEMPOTENCY_KEY: Part = {
    "name": idempotency_keys.HEADER,
    "in": "header",
    "description": "A name of your own for this request, so that it may be sent again: it is done once, and every "
    f"repetition gets the first answer, for {settings.IDEMPOTENCY_KEY_HOURS} hours. Printable ASCII characters.",
    "schema": {
        "type": "string",
        "maxLength": idempotency_keys.MAX_LENGTH,
        "pattern": f"^{idempotency_keys.PATTERN}$",
        "example": "8e03978e-40d5-43e8-bc93-6894a57f9324",
    },
}

IF_MATCH: Part = {
    "name": "If-Match",
    "in": "header",
    "description": "The `ETag` of the version that you read, or `*` for any.",
    "schema": {"type": "string"},
}

IF_NONE_MATCH_OF_WRITER: Part = {
    "name": "If-None-Match",
    "in": "header",
    "description": "`*`: write only if there is no such element yet.",
    "schema": {"type": "string"},
}

IF_NONE_MATCH_OF_READER: Part = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of the version that you have.",
    "schema": {"type": "string"},
}


def element_id(example: str) -> Part:
    """The path parameter `id` (contract A3)."""
    return {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "The id of the element, percent-encoded where needed: an id `A/B` is written `A%2FB`.",
        "schema": {"type": "string", "maxLength": CODE_LENGTH, "pattern": ID_PATTERN, "example": example},
    }


def properties_parameter(example: str) -> Part:
    """The query parameter `properties` (contract D8)."""
    return {
        "name": PROPERTIES,
        "in": "query",
        "required": True,
        "description": "The fields to answer, separated by commas: paths such as `updateInfo.user`, or the name of a "
        "group for everything in it. `descriptions` and `description` answer the text in the default language, "
        f"`descriptions.<language>` one entry of the map and `descriptions.*` the whole map. At most {MAX_PROPERTIES}.",
        "schema": {"type": "string", "format": "properties", "minLength": 1, "example": example},
    }


def filter_parameter(wire: Wire, unfilterable: Collection[str]) -> Part:
    """The query parameter `filter`, with the language and the fields it knows (contract D1 to D4)."""
    return {
        "name": "filter",
        "in": "query",
        "description": f"{_LANGUAGE}\n\n{_fields(wire, unfilterable)}",
        "schema": {"type": "string", "format": "rsql", "example": 'descriptions.en=ilike="a"'},
    }


def spellings_text(wire: Wire) -> str:
    """A paragraph with the spellings that are accepted beside those of answers, or no text (contract C6)."""
    alternatives = wire.spellings.alternatives
    if not alternatives:
        return ""
    rows = _table(("accepted too", "means"), [(f"`{other}`", f"`{path}`") for other, path in alternatives.items()])
    return (
        "\n\nThe fields are described in the spelling of answers. Others are accepted too, in `filter`, `sort` and "
        f"`properties` as well; two spellings of one field with different values are refused.\n\n{rows}"
    )


_LANGUAGE = f"""Which elements are meant, in RSQL: conditions `<field><operator><value>`, of which `;` or ` and ` joins
those that all have to hold, and `,` or ` or ` those of which one has to; `;` binds before `,`, and parentheses group.
An empty filter selects everything.

A value with white space or one of `"'();,=!~<>` in it stands in single or double quotes, in which a backslash takes
the next character as it is. `=in=` and `=out=` take a list, `=in=(EUR,USD)`; `=isnull=` takes `true` or `false`.

`==` is exact and knows no wildcards; `=like=` looks for text inside of the value and `=ilike=` does so without regard
to case. `!=` and `=out=` hold exactly where `==` and `=in=` do not, for fields without a value too. Decimal numbers
are compared as numbers and dates as instants.

`descriptions.<language>` is the text in one language; `descriptions` alone holds when any language does;
`description` is the default language. At most {MAX_LENGTH:,} characters, {MAX_CONDITIONS} conditions, {MAX_DEPTH}
parentheses deep, and {MAX_VALUES} values in a list."""


def _fields(wire: Wire, unfilterable: Collection[str]) -> str:
    """A table of the kinds of fields, with the operators that they take and their paths."""
    paths: dict[Kind, list[str]] = {}
    for place in wire.places.values():
        if place.path not in unfilterable:
            paths.setdefault(place.leaf.kind, []).append(place.path)
    if "description" not in wire.places:
        paths[Kind.TEXT].append("description")
    rows = [
        (
            str(kind),
            " ".join(f"`{symbol}`" for symbol in listed(o for o in OPERATORS if kind in o.kinds).split()),
            ", ".join(f"`{path}`" for path in found),
        )
        for kind, found in paths.items()
    ]
    return _table(("kind", "operators", "fields"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
