"""Entity tags of single elements, so that nobody overwrites what he has not seen (contract C16)."""

import hashlib

from django.utils.http import parse_etags, quote_etag
from rest_framework.request import Request

from dimensions_site.api.errors import Problem


def etag_of(text: str) -> str:
    """The strong entity tag of an element's JSON text."""
    return quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])


def not_modified(request: Request, etag: str) -> bool:
    """Whether the caller of a GET has this version already (`If-None-Match`)."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in {tag.removeprefix("W/") for tag in known}


def check_preconditions(request: Request, etag: str | None) -> None:
    """Raise 412 when `If-Match` or `If-None-Match` of a write do not hold; `etag` is None when nothing is stored."""
    if "If-Match" in request.headers:
        wanted = parse_etags(request.headers["If-Match"])
        if etag is None or not ("*" in wanted or etag in wanted):
            raise Problem(
                412,
                "PRECONDITION_FAILED",
                "The element is not stored in the version that If-Match names; read it again and decide anew.",
            )
    if "If-None-Match" in request.headers and etag is not None and not_modified(request, etag):
        raise Problem(412, "PRECONDITION_FAILED", "If-None-Match asks that no such element is stored, but one is.")
