"""Lists of elements as streams of bytes, in each media type (contract D7, H4)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, islice

from rest_framework.renderers import BaseRenderer

from dimensions_site.api.rendering import CsvRenderer, NdjsonRenderer, csv_lines, json_array, json_lines, pieces
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import Renderer, full_renderer
from dimensions_site.elements.reading.selection import everything, selected_plan
from dimensions_site.elements.reading.statements import Selection
from dimensions_site.elements.reading.table_rows import csv_table
from dimensions_site.elements.reading.tables import MAX_COLUMNS, columns_of

# Clients choose the properties.
_KEPT_RENDERERS = 100


def stream_elements(accepted: BaseRenderer, selection: Selection, paths: Sequence[str]) -> Iterator[bytes]:
    """Return the selected page in the media type of `accepted`, complete or with the canonical `paths` only, if given.

    The query has run when this returns.
    """
    dimension, language = selection.filter.dimension, selection.filter.repository.default_language
    if isinstance(accepted, CsvRenderer):
        wire, elements = dimension.wire, selection.rows
        columns = columns_of(wire, paths or everything(wire), language, elements, maximum=MAX_COLUMNS)
        headings, lines = csv_table(columns, elements)
        return begin_stream(lines, partial(csv_lines, headings))
    renderer = _renderer(dimension, tuple(paths), language) if paths else full_renderer(dimension, language)
    return begin_stream(renderer.each(selection), json_lines if isinstance(accepted, NdjsonRenderer) else json_array)


@lru_cache(_KEPT_RENDERERS)
def _renderer(dimension: Dimension, paths: Sequence[str], language: str) -> Renderer:
    return Renderer(selected_plan(dimension.wire, paths, language))


def begin_stream(texts: Iterator[str], write: Callable[[Iterable[list[str]]], Iterator[bytes]]) -> Iterator[bytes]:
    """Return what `write` makes of the `texts`, whose query has run when this returns."""
    # An error of the query can still be answered as one. A list of one piece is read to its end here, so that its
    # transaction ends before the network delays it.
    parts = pieces(texts)
    return write(chain(list(islice(parts, 1)), parts))
