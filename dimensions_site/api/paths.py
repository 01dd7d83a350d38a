"""The two ways to name a place in a JSON body (contract B1), each adding a key or position to the path before it."""

from collections.abc import Callable
from typing import TypeAlias

JoinPath: TypeAlias = Callable[[str, object], str]


def wire_path(parent: str, segment: object) -> str:
    """Return the wire path, for the body of one element: `conversion.conversionType`; the body itself is empty."""
    return f"{parent}.{segment}" if parent else str(segment)


def json_pointer(parent: str, segment: object) -> str:
    """Return the JSON Pointer (RFC 6901), for a bulk body: `/post/17/conversion/conversionType`."""
    return f"{parent}/{str(segment).replace('~', '~0').replace('/', '~1')}"
