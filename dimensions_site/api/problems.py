"""The body of an error (contract B1), without anything of Django: the web server itself answers so as well."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

MEDIA_TYPE = "application/problem+json"
# The phrases of RFC 9110 for which Python before 3.13 has older ones.
_TITLES = {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}
_MAX_QUOTED = 100


def problem_body(
    status: int,
    code: str,
    detail: str,
    request_id: str | None,
    errors: Sequence[Mapping[str, str]] = (),
    error_count: int = 1,
) -> dict[str, object]:
    """Return the problem details of RFC 9457, with the `errors` of a 400; without any the whole is the one error.

    `error_count` is the true number of them.
    """
    body: dict[str, object] = {
        "type": "about:blank",
        "title": title(status),
        "status": status,
        "detail": detail,
        "code": code,
        "requestId": request_id,
    }
    if status == HTTPStatus.BAD_REQUEST:
        body["errors"] = list(errors) or [{"path": "", "code": code, "message": detail}]
        body["errorCount"] = max(error_count, 1)
    return body


def title(status: int) -> str:
    """Return the phrase of an HTTP status."""
    return _TITLES.get(status) or HTTPStatus(status).phrase


def shortened(text: str) -> str:
    """Return `text`, cut when it is longer than anybody wants to read in a message."""
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"
