"""Find known names close to an unknown one, for messages that ask "Did you mean …?".

The cost is bounded: long names are not compared, and similarity is computed only for the first unknown names of a
request or import.
"""

import re
from collections.abc import Sequence
from contextvars import ContextVar
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache

from django.utils.translation import gettext as _

from dimensions_site.text.formats import shortened

# Longer names are not compared: no known name is that long.
MAX_COMPARED = 80
# The number of different unknown names compared in one request or import.
MAX_SEARCHES = 50
# The most names that one message suggests.
MAX_SUGGESTIONS = 3
# The required similarity, from 0 to 1: `tpye` is close to `type`, and `colour` to nothing.
_LIKENESS = 0.7
# For two shorter names, even a single different letter is too much.
_SHORTEST = 4

_searches: ContextVar[int] = ContextVar("searches", default=0)


class _NoSearchLeft(Exception):
    """The request or import has used up its searches."""


def allow_searches() -> None:
    """Allow `MAX_SEARCHES` searches from here on: a request or an import begins."""
    _searches.set(0)


def close_names(name: str, known: tuple[str, ...]) -> list[str]:
    """Return the `known` names that are closest to the unknown `name`, all equally likely; often there are none.

    Names that differ only in case, hyphens, underscores and spaces come before similar names.
    """
    same = same_names(name, known)
    if same or len(name) > MAX_COMPARED:
        return same
    try:
        return list(_search(_folded(name), known))
    except _NoSearchLeft:
        return []


def same_names(name: str, known: tuple[str, ...]) -> list[str]:
    """Return the `known` names that differ from `name` only in case, hyphens, underscores and spaces."""
    return list(_by_folded(known).get(_folded(name), ())) if len(name) <= MAX_COMPARED else []


def did_you_mean(names: Sequence[str], *, in_quotes: bool = True) -> str:
    """Return the question "Did you mean …?" for `names`, after a space; an empty text without names."""
    if not names:
        return ""
    named = [_("'{name}'").format(name=name) if in_quotes else name for name in names[:MAX_SUGGESTIONS]]
    return " " + _("Did you mean {names}?").format(names=_(" or ").join(named))


def unknown_field(name: str, names: Sequence[str] = ()) -> str:
    """Return the message for a `name` that is not a field, with the suggested `names`."""
    return _("Unknown field '{name}'.").format(name=shortened(name)) + did_you_mean(names)


def _folded(name: str) -> str:
    return re.sub("[-_ ]", "", name).casefold()


@lru_cache(1_000)
def _by_folded(known: tuple[str, ...]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name in known:
        names.setdefault(_folded(name), []).append(name)
    return names


@lru_cache(1_000)
def _search(folded: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the known names most similar to a folded one. Raises _NoSearchLeft, which is not cached."""
    spent = _searches.get()
    if spent >= MAX_SEARCHES:
        raise _NoSearchLeft
    _searches.set(spent + 1)
    candidates = _by_folded(known)
    long_enough = [name for name in candidates if max(len(name), len(folded)) >= _SHORTEST]
    found = get_close_matches(folded, long_enough, n=MAX_SUGGESTIONS, cutoff=_LIKENESS)
    best = [name for name in found if _likeness(name, folded) == _likeness(found[0], folded)]
    return tuple(original for name in best for original in candidates[name])[:MAX_SUGGESTIONS]


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
