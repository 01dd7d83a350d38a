"""Finding the version of an element that a client has read, by its entity tag."""

from functools import lru_cache
from typing import Any

import orjson

from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.etags import etag_of
from dimensions_site.elements.reading.rendering import Renderer, whole

# A form that was open while the element was saved more often than this shows every difference as a conflict.
_LOOKED_AT = 500


def version_with_tag(wire: Wire, element: Element, etag: str) -> dict[str, Any] | None:
    """Return the wire JSON of the version of the stored `element` with this tag, or None without one; one query.

    A version that was just replaced is found first.
    """
    history: Any = type(element).history
    versions = history.filter(id=element.pk).order_by("-history_id")[:_LOOKED_AT]
    texts = _renderer(wire, element.repository.default_language).each(versions)
    text = next((text for text in texts if etag_of(text) == etag), None)
    return None if text is None else orjson.loads(text)


@lru_cache
def _renderer(wire: Wire, language: str) -> Renderer:
    """Return the renderer of the history, because a renderer writes the rows of one model."""
    return Renderer(whole(wire.root, language))
