"""What texts of the formats look like that only this service knows, such as rsql, sort and percent-encoded."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any
from urllib.parse import quote

import schemathesis
from hypothesis import strategies as st

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from dimensions_site.rsql.compiler import MAX_FIELDS
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.operators import OPERATORS, Relation
from dimensions_site.rsql.parser import Comparison
from tests.dimensions_site.rsql.strategies import instant_texts, texts, trees, truths
from tests.dimensions_site.rsql.writing import write

# A format is the same in both documents, so these are the fields that both dimensions have.
_FIELDS = {
    "description": ValueKind.TEXT,
    "descriptions.en": ValueKind.TEXT,
    **{path: place.leaf.kind for path, place in CURRENCY_WIRE.places.items() if path in ACCOUNT_WIRE.places},
}
NDJSON, CSV = "application/x-ndjson", "text/csv"
_OF_CHANGE_SETS = {**dict.fromkeys(("user", "reason", "operation"), ValueKind.TEXT), "committedAt": ValueKind.TIMESTAMP}
_ONE_VALUE = [path for path, kind in _FIELDS.items() if kind is not ValueKind.TEXT_MAP]
_timestamps = instant_texts() | st.dates().map(str) | st.datetimes().map(lambda time: time.isoformat("T", "seconds"))


@st.composite
def _conditions(draw: st.DrawFn, fields: Mapping[str, ValueKind]) -> Comparison:
    path, kind = draw(st.sampled_from(sorted(fields.items())))
    operator = draw(st.sampled_from([operator for operator in OPERATORS if kind in operator.kinds]))
    values = truths if operator.relation is Relation.IS_SET else _timestamps if kind is ValueKind.TIMESTAMP else texts
    several = draw(st.lists(values, min_size=1, max_size=3 if operator.takes_list else 1))
    return Comparison(path, operator, tuple(several), position=1)


@st.composite
def _filters(draw: st.DrawFn, fields: Mapping[str, ValueKind]) -> str:
    return write(draw(trees(_conditions(fields))), Random(draw(st.integers())))


@st.composite
def _sort_orders(draw: st.DrawFn) -> str:
    fields = draw(st.lists(st.sampled_from(_ONE_VALUE), unique=True, min_size=1, max_size=MAX_FIELDS))
    forms = st.sampled_from(("{}", "-{}", "{}:desc", "{},desc", "{}:asc", "{},asc"))
    return draw(st.sampled_from(",;")).join(draw(forms).format(field) for field in fields)


def _text(_: object, value: Any) -> bytes:
    """A body in NDJSON or CSV; one that breaks its schema is no text."""
    return value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()


def register() -> None:
    """Teach schemathesis the formats, and the media types of texts."""
    schemathesis.serializer(NDJSON, CSV)(_text)
    # Not `descriptions` itself: beside one of its entries it is refused (contract D8).
    selected = st.sampled_from([*_ONE_VALUE, "updateInfo", "descriptions.de"])
    schemathesis.openapi.format("rsql", _filters(_FIELDS))
    schemathesis.openapi.format("rsql-of-change-sets", _filters(_OF_CHANGE_SETS))
    schemathesis.openapi.format("sort", _sort_orders())
    schemathesis.openapi.format("properties", st.lists(selected, min_size=1, unique=True).map(",".join))
    schemathesis.openapi.format("timestamp", _timestamps)
    lines = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=50)
    schemathesis.openapi.format("percent-encoded", lines.map(quote))
