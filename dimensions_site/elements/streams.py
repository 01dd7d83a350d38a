"""Lists of elements as bytes that are written while the rows are read, in each media type (contract D7, H4)."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from django.db.models import QuerySet
from rest_framework.renderers import BaseRenderer

from dimensions_site.api.rendering import CsvRenderer, NdjsonRenderer, csv_lines, json_array, json_lines
from dimensions_site.elements.rendering import CHUNK_ROWS, Renderer, full_renderer
from dimensions_site.elements.selection import answered_plan, everything
from dimensions_site.elements.table_rows import csv_table
from dimensions_site.elements.tables import columns_of
from dimensions_site.elements.wire import Wire


def streamed(
    offer: BaseRenderer, elements: QuerySet[Any], wire: Wire, paths: Sequence[str], language: str
) -> Iterator[bytes]:
    """The `elements` in the media type of `offer`: what the canonical `paths` select of them, all when there are none.

    `language` is the default one of the repository. The query has run when this returns.
    """
    if isinstance(offer, CsvRenderer):
        headings, lines = csv_table(columns_of(wire, paths or everything(wire), language, elements), elements)
        return _begun(lines, partial(csv_lines, headings))
    renderer = Renderer(answered_plan(wire, paths, language)) if paths else full_renderer(wire, language)
    return _begun(renderer.each(elements), json_lines if isinstance(offer, NdjsonRenderer) else json_array)


def _begun(items: Iterator[Any], write: Any) -> Iterator[bytes]:
    # What goes wrong in the query is still answered as an error. A list of one piece is read to its end here, so that
    # its transaction is over before anybody waits for the network.
    first = list(islice(items, CHUNK_ROWS))
    content: Iterator[bytes] = write(chain(first, items), CHUNK_ROWS)
    return content
