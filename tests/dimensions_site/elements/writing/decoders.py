"""The decoders of both dimensions, for a repository whose language is English; elements without a database."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from dimensions_site.api.json.elements import RawElement
from dimensions_site.api.json.reader import read_json
from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.fields import ElementContext
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.dimension import dimensions
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.decoding import decoder_of
from dimensions_site.repositories.models import Repository
from tests.dimensions_site.elements.writing.json_writing import plain

NORTHWIND = Repository(db_id="northwind", default_language="en")
DIMENSIONS: Mapping[str, tuple[Wire, type[Element]]] = {
    dimension.name: (dimension.wire, dimension.model) for dimension in dimensions()
}
DECODERS = {dimension: decoder_of(wire) for dimension, (wire, _) in DIMENSIONS.items()}
STAMP = {"update_user": "alice", "update_date": datetime(2026, 1, 31, tzinfo=UTC), "update_origin": "INPUT_WEB"}


def beside(existing: Any = None, id: str | None = None) -> ElementContext:
    """What decides on an element in this repository besides its JSON."""
    return ElementContext(NORTHWIND.default_language, existing, id)


def stored(dimension: str, payload: Any) -> Element:
    """The element that the serializer makes of `payload`, not saved."""
    wire, model = DIMENSIONS[dimension]
    values = wire.declaration.run_validation(read_json(plain(payload)), beside())
    return model(repository=NORTHWIND, **values, **STAMP)


def answer(dimension: str, element: Element) -> str:
    """The JSON text that the service returns for `element`."""
    wire, _ = DIMENSIONS[dimension]
    return json_text(wire.json_of(element, NORTHWIND.default_language))


def agrees(dimension: str, text: bytes, existing: Element | None = None) -> bool:
    """Whether the fast decoder accepts `text`; fails unless the exact way gives the same row, alone and in bulk."""
    decoder = DECODERS[dimension]
    parsed = RawElement(text)
    _ = parsed.members  # as a parser of REST has read it
    in_bulk, alone = (decoder.fast(sent, beside(existing)) for sent in (RawElement(text), parsed))
    for row in (in_bulk, alone):
        if row is not None:
            _check(dimension, row, read_json(text), existing)
    return in_bulk is not None


def _check(dimension: str, row: Any, data: Any, existing: Element | None) -> None:
    decoder = DECODERS[dimension]
    exact = decoder.exact(data, beside(existing))
    if dimension == "currency" and existing is None and "oid" not in data:
        position = decoder.columns.index("oid")
        assert str(UUID(row[position])) == row[position]
        row = (*row[:position], exact[position], *row[position + 1 :])  # each time another one is made
    assert row == exact
    assert [type(value) for value in row] == [type(value) for value in exact]
