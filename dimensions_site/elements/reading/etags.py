"""Entity tags of single elements, so that clients do not overwrite changes they have not seen (contract C16)."""

import hashlib
import re
from typing import Any

import orjson
from django.utils.http import quote_etag
from rest_framework.request import Request

from dimensions_site.api.errors import Failure, Problem, bad_request, quoted
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.reading.statements import read_texts

_TAG = re.compile(r'(?:W/)?"[^"]*"')
# A form that was open while the element was saved more often than this shows every difference as a conflict.
_COMPARED = 500


def etag_of(text: str) -> str:
    """Return the strong entity tag of an element's JSON text."""
    return quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])


def not_modified(request: Request, etag: str) -> bool:
    """Return whether the client of a GET already has this version (`If-None-Match`)."""
    known = _tags(request, "If-None-Match")
    return "*" in known or etag in {tag.removeprefix("W/") for tag in known}


def check_tags(request: Request, *, is_read: bool = False) -> None:
    """Raise 400 if `If-Match` or `If-None-Match` has a tag without quotes or a weak one, which never holds.

    A GET may name weak tags, and none at all (RFC 9110, 13.1.2). Contract C16.
    """
    failures = []
    for name in ("If-None-Match",) if is_read else ("If-Match", "If-None-Match"):
        sent, tags = request.headers.get(name), _tags(request, name)
        if sent is None or "*" in tags or (is_read and not sent.strip()):
            continue
        is_weak = not is_read and any(tag.startswith("W/") for tag in tags)
        if is_weak or not tags or _TAG.sub("", sent).strip(" \t,"):
            hint = " W/ marks a weak tag, which never holds; remove it. A proxy may have added it." if is_weak else ""
            message = f"{name} must be * or entity tags in double quotes, as in the header ETag; got {quoted(sent)}."
            failures.append(Failure(name, "INVALID_VALUE", message + hint))
    if failures:
        raise bad_request(failures)


def check_preconditions(request: Request, etag: str | None, *, of: str = "element") -> None:
    """Raise 412 if `If-Match` or `If-None-Match` of a write do not hold; `etag` is None if no element is stored.

    Call `check_tags` before.
    """
    if "If-Match" in request.headers:
        if etag is None:
            detail = "The element that If-Match names does not exist. To create it, send no If-Match."
            raise Problem(412, "PRECONDITION_FAILED", detail)
        if not {"*", etag}.intersection(_tags(request, "If-Match")):
            detail = f"The {of} has changed since you read it (If-Match). Read it again and retry."
            raise Problem(412, "PRECONDITION_FAILED", detail)
    if "If-None-Match" in request.headers and etag is not None and not_modified(request, etag):
        raise Problem(412, "PRECONDITION_FAILED", "The element exists already, which If-None-Match forbids.")


def _tags(request: Request, name: str) -> list[str]:
    sent = request.headers.get(name, "")
    return ["*"] if sent.strip() == "*" else _TAG.findall(sent)


def versions_since(dimension: Dimension, element: Element, etag: str) -> list[dict[str, Any]]:
    """Return the versions of the stored `element` as wire JSON, from the newest to the one with this tag; one query.

    Nothing is returned if none has it.
    """
    versions = element.versions_of(element.repository).filter(element_id=element.element_id, id=element.pk)
    versions = versions.order_by("-number")[:_COMPARED]
    texts = read_texts(full_renderer(dimension, element.repository.default_language), versions)
    found = []
    for text in texts:
        found.append(orjson.loads(text))
        if etag_of(text) == etag:
            return found
    return []
