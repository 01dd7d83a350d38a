"""What people call fields and values: labels in the language of the thread, where programs have wire paths."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from django.conf import settings
from django.utils.functional import cached_property
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from rest_framework import serializers

_SEPARATOR = " › "
# The language in which labels are compared: a heading has the same parts in every language.
_COMPARED_IN = "en"

_in_messages: ContextVar[bool] = ContextVar("labels_in_messages", default=False)


@contextmanager
def switched_on(variable: ContextVar[bool]) -> Iterator[None]:
    """Set the `variable` in the block."""
    token = variable.set(True)
    try:
        yield
    finally:
        variable.reset(token)


# Makes error messages name fields and values by their labels, for people, instead of their names on the wire.
labels_in_messages = partial(switched_on, _in_messages)


def are_in_messages() -> bool:
    """Return whether error messages name labels."""
    return _in_messages.get()


def path_of(field: serializers.Field[Any, Any, Any, Any]) -> str:
    """Return the wire path of an object's member."""
    return ".".join(member.field_name for member in _from_outermost(field))


def name_of(field: serializers.Field[Any, Any, Any, Any], key: str | None = None) -> str:
    """Return the name of an object's member, or of the entry `key` of a map, in messages: wire path or label."""
    if not _in_messages.get():
        return path_of(field) if key is None else f"{path_of(field)}.{key}"
    labels = heading_labels([(member.field_name, member.label) for member in _from_outermost(field)])
    return entry_name(str(labels[-1]) if labels else "", key)


def entry_name(label: str, key: str | None) -> str:
    """Return what people call the entry `key` of the map with the `label`; the label itself without a key."""
    return label if key is None else f"{label} ({key})"


def heading_labels(members: Sequence[tuple[str, Any]]) -> list[Any]:
    """Return the labels of `members` from the outermost to a leaf, each with its name.

    A leaf `id` in an object stands for the object, so it has no label of its own there.
    """
    own = members[:-1] if len(members) > 1 and members[-1][0] == "id" else members
    return [label for _name, label in own]


def fold_name(text: str) -> str:
    """Return what is compared of a name: its letters and digits without accents, in lower case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))


def spoken_language() -> str:
    """Return the language of the thread, one of those of the administration."""
    language = (get_language() or settings.LANGUAGE_CODE).partition("-")[0]
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


class Headings:
    """The labels that name each leaf of a dimension without ambiguity, as in `Liquidity › Debit account`."""

    def __init__(self) -> None:
        self._labels: dict[str, Sequence[Any]] = {}

    def add(self, path: str, members: Sequence[tuple[str, Any]]) -> None:
        """Add the leaf at `path`; `members` as in `heading_labels`."""
        self._labels[path] = heading_labels(members)

    def of(self, path: str) -> str:
        """Return the heading of the leaf at `path`: as few of its labels as no other leaf ends with."""
        return _SEPARATOR.join(map(str, self._labels[path][-self._lengths[path] :]))

    def all_of(self, path: str) -> list[str]:
        """Return what a table may call the leaf at `path`: its label alone, and with those of its objects."""
        labels = list(map(str, self._labels[path]))
        return [_SEPARATOR.join(labels[start:]) for start in range(len(labels))]

    @cached_property
    def _lengths(self) -> dict[str, int]:
        with override(_COMPARED_IN):
            texts = {path: tuple(map(str, labels)) for path, labels in self._labels.items()}
        ends = Counter(labels[-length:] for labels in texts.values() for length in range(1, len(labels) + 1))
        return {
            path: next((n for n in range(1, len(labels)) if ends[labels[-n:]] == 1), len(labels))
            for path, labels in texts.items()
        }


def _from_outermost(field: Any) -> list[Any]:
    members = []
    while field is not None and field.field_name:
        members.append(field)
        field = field.parent
    return members[::-1]


class AmbiguousText(ValueError):
    """The text has two meanings; the message for people says which, and how to write either.

    `readings` are the values that it may mean.
    """

    def __init__(self, text: str, one: str, other: str, readings: Sequence[str] = ()) -> None:
        message = _("{text} may be {one} or {other}. Write one of these.")
        super().__init__(message.format(text=text, one=one, other=other))
        self.readings = readings
