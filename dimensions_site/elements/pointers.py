"""Where a fault stands in what was sent: JSON Pointers for bodies with many elements (contract B1)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.paths import json_pointer
from dimensions_site.api.problems import shortened
from dimensions_site.elements.wire import Wire


def failures_of(error: ValidationError, sent: Any, wire: Wire, pointer: str, id: object) -> list[Failure]:
    """The failures in `error`, which the serializer of `wire` raised for the JSON `sent`, standing at `pointer`.

    Each points at the spelling that was sent, and at the spelling of responses where nothing was. `id`, the element's,
    is told with each failure if it is a text.
    """
    shown_id = shortened(id) if isinstance(id, str) else None
    return [
        replace(failure, path=pointer + _pointer_of(failure, sent, wire), id=shown_id)
        for failure in flatten(error.detail, join=json_pointer)
    ]


def _pointer_of(failure: Failure, sent: Any, wire: Wire) -> str:
    path = [segment.replace("~1", "/").replace("~0", "~") for segment in failure.path.split("/")[1:]]
    return pointer_in(sent, path, wire, is_conflict=failure.code == "CONFLICTING_SPELLINGS")


def pointer_in(sent: Any, path: Sequence[str], wire: Wire, *, is_conflict: bool = False) -> str:
    """Where the member at the canonical `path` stands in the JSON `sent`, in the spelling that was sent.

    Of two spellings that are in conflict it is the one that was too much.
    """
    spellings = wire.spellings.spellings_of(path)
    if is_conflict:
        spellings.reverse()
    result = ""
    for segment in next((spelling for spelling in spellings if _stands(spelling, sent)), _up_to_value(path, sent)):
        result = json_pointer(result, segment)
    return result


def _stands(path: Sequence[str], sent: Any) -> bool:
    for segment in path:
        if not isinstance(sent, dict) or segment not in sent:
            return False
        sent = sent[segment]
    return True


def _up_to_value(path: Sequence[str], sent: Any) -> Sequence[str]:
    """`path`, cut where a value was sent in place of an object: a text in `descriptions` means an entry of the map."""
    for length, segment in enumerate(path):
        if sent is None:
            break
        if not isinstance(sent, dict):
            return path[:length]
        sent = sent.get(segment)
    return path
