"""One error of a request or a file. Imports nothing of Django, for the process that reads files stays small."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from dimensions_site.text.shortening import shortened

JoinPath: TypeAlias = Callable[[str, object], str]


def wire_path(parent: str, segment: object) -> str:
    """Return the wire path, for the body of one element: `conversion.conversionType`; "" is the body itself."""
    return f"{parent}.{segment}" if parent else str(segment)


def json_pointer(parent: str, segment: object) -> str:
    """Return the JSON Pointer (RFC 6901), for a bulk body: `/post/17/conversion/conversionType`."""
    return f"{parent}/{str(segment).replace('~', '~0').replace('/', '~1')}"


def pointer_segments(pointer: str) -> list[str]:
    """Return the names and positions in a JSON Pointer."""
    return [segment.replace("~1", "/").replace("~0", "~") for segment in pointer.split("/")[1:]]


MAX_FAILURES = 1_000


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
        """Return the failure as an item of `errors`."""
        entry = {"path": self.path, "code": self.code, "message": self.message}
        return entry if self.id is None else {"id": self.id} | entry


def quoted(text: str) -> str:
    """Return `text` in quotes for a message, shortened if it is long."""
    return f'"{shortened(text)}"'
