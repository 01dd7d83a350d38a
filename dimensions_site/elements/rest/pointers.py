"""JSON Pointers to errors in bodies with many elements (contract B1)."""

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from rest_framework.exceptions import ValidationError

from dimensions_site.api.errors import Failure, flatten
from dimensions_site.api.failures import json_pointer, pointer_segments
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.text.formats import shortened


def failures_of(
    error: ValidationError, sent: Any, wire: Wire, pointer: str, id: object, without: Container[str] = ()
) -> list[Failure]:
    """Return the failures in `error`, which the serializer of `wire` raised for the JSON `sent` at `pointer`.

    Those with a code in `without` are left out.

    Each points at the spelling that was sent, or at the spelling of responses if none was. `id`, the element's, is part
    of each failure if it is a text.
    """
    shown_id = shortened(id) if isinstance(id, str) else None
    return [
        replace(failure, path=pointer + _pointer_of(failure, sent, wire), id=shown_id)
        for failure in flatten(error.detail, join=json_pointer)
        if failure.code not in without
    ]


def _pointer_of(failure: Failure, sent: Any, wire: Wire) -> str:
    path = pointer_segments(failure.path)
    return pointer_in(sent, path, wire, is_conflict=failure.code == "CONFLICTING_SPELLINGS")


def pointer_in(sent: Any, path: Sequence[str], wire: Wire, *, is_conflict: bool = False) -> str:
    """Return the pointer to the member at the canonical `path` in the JSON `sent`, in the spelling that was sent.

    Of two conflicting spellings it is the second.
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
    """Return `path` up to a value that was sent in place of an object, such as a text in `descriptions`."""
    for length, segment in enumerate(path):
        if sent is None:
            break
        if not isinstance(sent, dict):
            return path[:length]
        sent = sent.get(segment)
    return path
