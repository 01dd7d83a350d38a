"""One error of a request or a file, and the body of an error response (contract B1)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias

from dimensions_site.text.formats import shortened

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
# The largest number of errors that a response lists.
MAX_FAILURES = 1_000
# The largest exact number of errors of a request; validation stops beyond it.
MAX_COUNTED = 10_000

JoinPath: TypeAlias = Callable[[str, object], str]


def wire_path(parent: str, segment: object) -> str:
    """Return the wire path, for the body of one element: `conversion.conversionType`; "" is the body itself."""
    name = str(segment) or '""'  # the key of an entry may be empty
    return f"{parent}.{name}" if parent else name


def json_pointer(parent: str, segment: object) -> str:
    """Return the JSON Pointer (RFC 6901), for a bulk body: `/post/17/conversion/conversionType`."""
    return f"{parent}/{str(segment).replace('~', '~0').replace('/', '~1')}"


def pointer_segments(pointer: str) -> list[str]:
    """Return the names and positions in a JSON Pointer."""
    return [segment.replace("~1", "/").replace("~0", "~") for segment in pointer.split("/")[1:]]


@dataclass(frozen=True)
class Failure:
    """One error of a request.

    `path` is the wire path of the field (in a bulk body a JSON Pointer; empty for the body as a whole),
    `code` is UPPER_SNAKE, `message` a sentence for people, `id` the element's id if known.
    """

    path: str
    code: str
    message: str
    id: str | None = None

    def as_json(self) -> dict[str, str]:
        entry = {"path": self.path, "code": self.code, "message": self.message}
        return entry if self.id is None else {"id": self.id} | entry


def quoted(text: str) -> str:
    """Return `text` in quotes for a message, shortened if it is long."""
    return f'"{shortened(text)}"'


def problem_body(
    status: int,
    code: str,
    detail: str,
    request_id: str | None,
    errors: Sequence[Mapping[str, str]] = (),
    error_count: int = 1,
) -> dict[str, object]:
    """Return the problem details of RFC 9457, with its `errors`; by default the problem is the only error of a 400.

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
    if status == HTTPStatus.BAD_REQUEST or errors:
        body["errors"] = list(errors) or [{"path": "", "code": code, "message": detail}]
        body["errorCount"] = min(max(error_count, 1), MAX_COUNTED)
        body["errorCountIsExact"] = error_count <= MAX_COUNTED
    return body


def title(status: int) -> str:
    """Return the phrase of an HTTP status."""
    return _TITLES.get(status) or HTTPStatus(status).phrase
