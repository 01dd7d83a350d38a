"""The path, query and header parameters of a dimension in its OpenAPI document (contract A3, C16, D)."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter

from dimensions_site.api.lists import AFTER
from dimensions_site.changes.requirements import MAX_REASON, REASON_HEADER
from dimensions_site.elements.declaration.texts import CODE_LENGTH, ID_PATTERN
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.history.moments import MAX_TOKEN
from dimensions_site.elements.reading.selection import MAX_PROPERTIES
from dimensions_site.elements.reading.selection import PARAMETER as PROPERTIES
from dimensions_site.idempotency import answers as idempotency
from dimensions_site.repositories.models import DB_ID_PATTERN
from dimensions_site.rsql.compiler import MAX_FIELDS
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.operators import OPERATORS, operators_text
from dimensions_site.rsql.parser import MAX_CONDITIONS, MAX_FILTER_DEPTH, MAX_FILTER_LENGTH, MAX_VALUES

# How many elements one call for uses may name (contract L1).
MAX_USED_IDS = 100


def parameter(
    location: Any, name: str, description: str, *, required: bool = False, on: Any = False, **schema: Any
) -> OpenApiParameter:
    """Return a parameter in this `location`, or a response header `on` these statuses (True: on all)."""
    return OpenApiParameter(name, {"type": "string", **schema}, location, required, description, response=on)


_PATTERN = f"^{DB_ID_PATTERN}$"
REPOSITORY = parameter("path", "dbID", "The repository (database).", pattern=_PATTERN, example="demo")


def element_id(example: str) -> OpenApiParameter:
    """Return the path parameter `id` (contract A3)."""
    description = "The id of the element, percent-encoded: the id `A/B` is written `A%2FB`."
    return parameter("path", "id", description, maxLength=CODE_LENGTH, pattern=ID_PATTERN, example=example)


def used_ids(example: str) -> OpenApiParameter:
    """Return the query parameter `id` of a call for uses (contract L1)."""
    items = {"type": "string", "maxLength": CODE_LENGTH, "pattern": ID_PATTERN}
    description = f"The ids of the elements, up to {MAX_USED_IDS}: `id=1000&id=2000`."
    limits: Any = {"type": "array", "items": items, "minItems": 1, "maxItems": MAX_USED_IDS}
    return parameter("query", "id", description, required=True, example=[example], **limits)


_NUMBER: Any = {"type": "integer", "minimum": 0}
_ENTRIES: Any = {**_NUMBER, "format": "int64"}
_SORT = (
    "The fields to sort by, separated by `,` or `;`. For descending order write `-field`, `field:desc` or "
    f"`field,desc` (ascending `:asc`, `,asc`). At most {MAX_FIELDS} of the fields that `filter` knows; of a map one "
    "entry, `descriptions.en`. Elements without a value come last, and the id is always the last key. Texts sort by "
    "code point, decimal numbers and dates by value. Example: `-updateInfo.date,id`."
)
_AS_OF = (
    "The elements as they were at that instant, such as `2026-03-31T22:00:00Z`, or in the state of a `Sync-Token`: all "
    "that had been committed by then. The same question always gets the same answer."
)
_AS_OF_SCHEMA: Any = {"maxLength": MAX_TOKEN, "minLength": 1, "format": "instant-or-sync-token"}
# The query parameters that every dimension has.
QUERY = (
    parameter("query", "asOf", _AS_OF, **_AS_OF_SCHEMA),
    parameter("query", "sort", _SORT, format="sort", minLength=1),
    parameter(
        "query", "unused", "`true`: only elements that no other element refers to; not with `asOf`.", type="boolean"
    ),
    parameter("query", "skip", "The number of entries to skip; 0 by default.", **_ENTRIES),
    parameter("query", "take", "The maximum number of entries to return; all by default.", **_ENTRIES),
    parameter("query", AFTER, "Where the page begins; the header `Link` sets it.", format="place-in-list"),
)


def properties_parameter(example: str) -> OpenApiParameter:
    """Return the query parameter `properties` (contract D8)."""
    description = (
        "The fields to return, separated by commas: paths such as `updateInfo.user`, or the name of a group for "
        "everything in it. `descriptions` and `description` return the text in the default language, "
        f"`descriptions.<language>` one entry of the map and `descriptions.*` the whole map. At most {MAX_PROPERTIES}."
    )
    schema = {"format": "properties", "minLength": 1, "example": example}
    return parameter("query", PROPERTIES, description, required=True, **schema)


def filter_parameter(dimension: Dimension) -> OpenApiParameter:
    """Return the query parameter `filter`, with its language and the fields it knows (contract D1 to D4)."""
    limits = {
        "characters": MAX_FILTER_LENGTH,
        "conditions": MAX_CONDITIONS,
        "depth": MAX_FILTER_DEPTH,
        "values": MAX_VALUES,
    }
    language = Path(__file__).with_name("filter.md").read_text(encoding="utf-8").format(**limits)
    return parameter("query", "filter", f"{language}\n{_fields(dimension)}", format="rsql")


_header = partial(parameter, "header")
_answered = partial(parameter, "header", required=True)
_KEY = (
    "A unique key for this request, so that you can safely send it again: it is processed once, and each repetition "
    f"gets the first response, for {settings.IDEMPOTENCY_KEY_HOURS} hours. Printable ASCII characters."
)
_KEY_PATTERN = f"^{idempotency.PATTERN}$"
# Response headers of every operation. `X-Request-ID` is no parameter: each call of clients with parameters by position
# would have one more.
HEADERS = (
    _answered(
        "X-Request-ID", "The id of the request: yours or a new one. Quote it when you report a problem.", on=True
    ),
    _answered("WWW-Authenticate", "How to authenticate: one challenge for each scheme.", on=[401]),
    _answered("Allow", "The methods that this path allows.", on=[405]),
    _header(
        "RateLimit",
        'What is left of your calls: `"calls";r=59990;t=12` says 59,990 for the next 12 seconds; `bulk` counts bulk '
        "saves and deletions.",
        on=True,
    ),
    _header("RateLimit-Policy", 'Your limits: `"calls";q=60000;w=60` says 60,000 in 60 seconds.', on=True),
    # Not of every 409: a plan that was applied is one for ever.
    _header("Retry-After", "The number of seconds to wait before the next try.", on=[409, 429, 503], **_NUMBER),
)
# Parameters and response headers of every POST.
IDEMPOTENCY = (
    _header(idempotency.HEADER, _KEY, maxLength=idempotency.MAX_KEY_LENGTH, pattern=_KEY_PATTERN),
    _header(
        "Idempotent-Replayed",
        "`true`: this is the response to an earlier request with the same `Idempotency-Key`.",
        on=[200, 201, 202],
        enum=["true"],
    ),
)
_REASON = (
    f"The reason for the change, kept with it: 1 to {MAX_REASON:,} characters without control characters. "
    "Write those beyond ASCII, and `%` itself, percent-encoded in UTF-8, such as `Pr%C3%BCfung`. A repository may "
    "require it; then the response without one is 400 `REASON_REQUIRED`."
)
# A parameter of every operation that writes.
CHANGE_REASON = _header(REASON_HEADER, _REASON, format="percent-encoded", minLength=1)
LOCATION = _answered("Location", "The path of the new resource.", on=[201, 202], format="uri-reference")
ETAG = _answered("ETag", "The version of the element, for `If-Match` and `If-None-Match`.", on=[200, 201, 304])
PREFERENCE_APPLIED = _header(
    "Preference-Applied", "The preferences that were applied; `dryRun` for a dry run.", on=[200]
)
# Those of a bulk save (contract K2).
COUNTS = (
    _header("X-Created", "The number of elements that are new.", on=[200], **_NUMBER),
    _header("X-Changed", "The number of elements that changed.", on=[200], **_NUMBER),
    _header("X-Unchanged", "The number of elements that were stored like this already.", on=[200], **_NUMBER),
)
# That of a list that grows.
LINK = _header(
    "Link", 'With `take`: the next page, `<…>; rel="next"`, if there is one. No entry is repeated or missing.', on=[200]
)
# Those of a list whose entries can be counted.
COUNTED = (
    _header("Prefer", "`count=exact` adds the number of entries as `X-Total-Count`. Others are ignored."),
    _header("X-Total-Count", "The number of entries, if `Prefer` asks for it.", on=[200], **_NUMBER),
    PREFERENCE_APPLIED,
)
SYNC_TOKEN = _answered(
    "Sync-Token",
    "A state of which the answer has everything, for `since` of `elements-changes` and for `asOf`. What is committed "
    "while it is read may be in it, too.",
    on=[200],
    maxLength=MAX_TOKEN,
)
# Those of a list besides its query parameters.
LIST = [
    _header("Prefer", "`count=exact` adds the number of selected elements as `X-Total-Count`. Others are ignored."),
    _header(
        "X-Total-Count", "The number of elements that `filter` selects, if `Prefer` asks for it.", on=[200], **_NUMBER
    ),
    PREFERENCE_APPLIED,
    _header("Content-Disposition", "A file name, for CSV and NDJSON.", on=[200]),
    SYNC_TOKEN,
]
# One or more entity tags, as schemas of headers describe them.
_TAGS = r'"[!#-~]*"(, *"[!#-~]*")*'
ENTITY_TAGS: Any = {"pattern": f"^{_TAGS}$"}
_TAGS_OR_ANY: Any = {"pattern": rf"^(\*|{_TAGS})$"}
IF_NONE_MATCH = _header("If-None-Match", "The `ETag` of the version that you have.", **_TAGS_OR_ANY)
IF_MATCH = _header("If-Match", "The `ETag` of the version that you read, or `*` for any.", **_TAGS_OR_ANY)
# Those of a write to an existing element.
PRECONDITIONS = [
    IF_MATCH,
    _header("If-None-Match", "`*`: write only if there is no such element yet.", **_TAGS_OR_ANY),
    ETAG,
]


def spellings_text(wire: Wire) -> str:
    """Return a paragraph with the spellings accepted besides those of responses, or no text (contract C6)."""
    alternatives = wire.spellings.alternatives
    if not alternatives:
        return ""
    rows = _table(("also accepted", "means"), [(f"`{other}`", f"`{path}`") for other, path in alternatives.items()])
    return (
        "\n\nThe fields are described in the spelling of responses. Others are accepted too, also in `filter`, `sort` "
        f"and `properties`; two spellings of one field with different values are rejected.\n\n{rows}"
    )


def _fields(dimension: Dimension) -> str:
    """Return a table of the kinds of fields, with their operators and their paths."""
    paths: dict[ValueKind, list[str]] = {}
    for place in dimension.wire.places.values():
        if place.path not in dimension.unfilterable:
            paths.setdefault(place.leaf.kind, []).append(place.path)
    if "description" not in dimension.wire.places:
        paths[ValueKind.TEXT].append("description")
    rows = [
        (
            str(kind),
            " ".join(f"`{symbol}`" for symbol in operators_text(o for o in OPERATORS if kind in o.kinds).split()),
            ", ".join(f"`{path}`" for path in found),
        )
        for kind, found in paths.items()
    ]
    return _table(("kind", "operators", "fields"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
