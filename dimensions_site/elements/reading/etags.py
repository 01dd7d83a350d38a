"""Entity tags of single elements, so that clients do not overwrite changes they have not seen (contract C16)."""

import hashlib
from typing import Any

import orjson
from django.utils.http import parse_etags, quote_etag
from rest_framework.request import Request

from dimensions_site.api.errors import Problem
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.text.shortening import shortened

# A form that was open while the element was saved more often than this shows every difference as a conflict.
_COMPARED = 500


def etag_of(text: str) -> str:
    """Return the strong entity tag of an element's JSON text."""
    return quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])


def not_modified(request: Request, etag: str) -> bool:
    """Return whether the client of a GET already has this version (`If-None-Match`)."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in {tag.removeprefix("W/") for tag in known}


def check_preconditions(request: Request, etag: str | None) -> None:
    """Raise 412 if `If-Match` or `If-None-Match` of a write do not hold; `etag` is None if no element is stored."""
    if "If-Match" in request.headers:
        header = request.headers["If-Match"]
        wanted = parse_etags(header)
        if etag is None:
            detail = "The element that If-Match names does not exist. To create it, send no If-Match."
        elif not wanted:
            sent = shortened(header)
            detail = f"If-Match must be * or an entity tag in double quotes, as in the header ETag; got '{sent}'."
        else:
            detail = "The element has changed since you read it (If-Match). Read it again and retry."
        if etag is None or not ("*" in wanted or etag in wanted):
            raise Problem(412, "PRECONDITION_FAILED", detail)
    if "If-None-Match" in request.headers and etag is not None and not_modified(request, etag):
        raise Problem(412, "PRECONDITION_FAILED", "The element exists already, which If-None-Match forbids.")


def version_with_tag(dimension: Dimension, element: Element, etag: str) -> dict[str, Any] | None:
    """Return the wire JSON of the version of the stored `element` with this tag, or None without one; one query.

    A version that was just replaced is found first.
    """
    versions = element.versions_of(element.repository).filter(element_id=element.element_id, id=element.pk)
    versions = versions.order_by("-number")[:_COMPARED]
    texts = full_renderer(dimension, element.repository.default_language).each(versions)
    text = next((text for text in texts if etag_of(text) == etag), None)
    return None if text is None else orjson.loads(text)
