"""Content negotiation by the headers Content-Type and Accept (design/http.md)."""

from collections.abc import Iterable
from http import HTTPStatus

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from dimensions_site.api.errors import Problem, quoted


class HeaderNegotiation(BaseContentNegotiation):
    """Selects by media type alone: exactly for bodies, by quality (RFC 9110, 12.5.1) for responses.

    Parameters of Accept other than `q` are ignored: `application/json; charset=utf-8` is application/json.
    """

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        """Return the parser for the body of `request`. Raises Problem 415 naming the supported types."""
        sent = media_type(request.content_type)
        fitting = (parser for parser in parsers if getattr(parser, "method", None) in (None, request.method))
        by_type = {parser.media_type: parser for parser in fitting}
        if sent in by_type:
            return by_type[sent]
        found = f"is {quoted(sent)}" if sent else "is missing"
        readable = " or ".join(str(name) for name in by_type)
        headers = {f"Accept-{request.method.title()}": ", ".join(map(str, by_type))} if request.method else {}
        detail = f"The header Content-Type {found}; it must be {readable}."
        raise Problem(415, "UNSUPPORTED_MEDIA_TYPE", detail, headers=headers)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer that the client prefers, and its media type. Raises Problem 406."""
        accept = request.META.get("HTTP_ACCEPT", "").strip() or "*/*"
        qualities = _qualities(accept)
        offered = [(renderer, str(renderer.media_type)) for renderer in renderers]
        best = max(offered, key=lambda offer: _quality(offer[1], qualities))
        if _quality(best[1], qualities) > 0:
            return best
        served = " or ".join(name for _, name in offered)
        detail = f"The header Accept asks for {quoted(accept)}; this address answers with {served}."
        raise Problem(HTTPStatus.NOT_ACCEPTABLE, "NOT_ACCEPTABLE", detail, headers={"Vary": "Accept"})


def media_type(header: str) -> str:
    """Return the media type of a Content-Type header without its parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


def _qualities(accept: str) -> dict[str, float]:
    qualities: dict[str, float] = {}
    for item in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in item.split(";"))
        media_range = "*/*" if media_range == "*" else media_range  # as Java's HttpURLConnection writes it
        weights = [_weight(parameter[2:]) for parameter in parameters if parameter.startswith("q=")]
        quality = weights[0] if weights else 1.0
        qualities[media_range] = max(quality, qualities.get(media_range, 0.0))
    return qualities


def _weight(text: str) -> float:
    """Return the number of a `q` parameter; 1 for anything but a number from 0 to 1."""
    try:
        weight = float(text)
    except ValueError:
        return 1.0
    return weight if 0 <= weight <= 1 else 1.0


def _quality(name: str, qualities: dict[str, float]) -> float:
    """Return the quality of the media type `name`: that of the most specific matching range."""
    main = name.partition("/")[0]
    return next((qualities[r] for r in (name, f"{main}/*", "*/*") if r in qualities), 0.0)
