"""Finding the version of an element that a client has read, by its entity tag."""

from typing import Any

import orjson

from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.reading.rendering import full_renderer

# A form that was open while the element was saved more often than this shows every difference as a conflict.
_LOOKED_AT = 500


def version_with_tag(dimension: Dimension, element: Element, etag: str) -> dict[str, Any] | None:
    """Return the wire JSON of the version of the stored `element` with this tag, or None without one; one query.

    A version that was just replaced is found first.
    """
    history: Any = type(element).history
    versions = history.filter(id=element.pk).order_by("-history_id")[:_LOOKED_AT]
    texts = full_renderer(dimension, element.repository.default_language).each(versions)
    text = next((text for text in texts if etag_of(text) == etag), None)
    return None if text is None else orjson.loads(text)
