"""The body of an error (contract B1). Imports nothing of Django, for the web server sends such errors, too."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

MEDIA_TYPE = "application/problem+json"
# The logged status of a request whose client closed the connection; nothing is sent.
CLIENT_CLOSED_REQUEST = 499
# The phrases of RFC 9110 that Python before 3.13 lacks.
_TITLES = {
    413: "Content Too Large",
    414: "URI Too Long",
    422: "Unprocessable Content",
    CLIENT_CLOSED_REQUEST: "Client Closed Request",
}
# The largest exact number of errors of a request; validation stops beyond it.
MAX_COUNTED = 10_000


def problem_body(
    status: int,
    code: str,
    detail: str,
    request_id: str | None,
    errors: Sequence[Mapping[str, str]] = (),
    error_count: int = 1,
) -> dict[str, object]:
    """Return the problem details of RFC 9457, with the `errors` of a 400; by default the problem is its only error.

    `error_count` is the number of errors found; beyond `MAX_COUNTED` there may be more (contract B1).
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
        body["errorCount"] = min(max(error_count, 1), MAX_COUNTED)
        body["errorCountIsExact"] = error_count <= MAX_COUNTED
    return body


def title(status: int) -> str:
    """Return the phrase of an HTTP status."""
    return _TITLES.get(status) or HTTPStatus(status).phrase
