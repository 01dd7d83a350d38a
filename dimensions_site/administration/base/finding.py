"""Find elements by words in their id or in a description in any language."""

from functools import reduce
from operator import and_
from typing import Any

from django.db.models import F, Q, QuerySet

from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.elements.declaration.indexes import SEARCHED
from dimensions_site.rsql.conditions import AnyEntry, Condition, Contains, EntryText, Needle, has_trigram, narrow
from dimensions_site.rsql.expressions import Fold

# Sorts after everything that begins with the same letters.
LAST_CHARACTER = "\U0010ffff"


def containing(text: str) -> Q:
    """Return the elements with each word of `text` in their id or a description, in any case (contract D2)."""
    return reduce(and_, map(_containing_word, dict.fromkeys(text.split())), Q())


def _containing_word(word: str) -> Q:
    part = Fold(Needle(word))
    in_an_entry: Condition = AnyEntry(F(SEARCHED), Contains(Fold(EntryText()), part))
    if has_trigram(word):
        in_an_entry = narrow(in_an_entry, SEARCHED, word, folded=True)
    return Q(Contains(Fold(F("element_id")), part)) | Q(in_an_entry)


def first_fitting(rows: QuerySet[Any], text: str, limit: int) -> list[Any]:
    """Return up to `limit` of the `rows`: those whose id begins with `text`, then those that contain its words.

    The queries stop when there are enough, and the first ones use the index of the ids alone.
    """
    if len(text) > LONGEST_SEARCH:
        return []
    found: list[Any] = []
    known = Q(pk__in=())
    # Ids are mostly in capitals, and people rarely type them so.
    for beginning in dict.fromkeys((text, text.upper())):
        begins = Q(element_id__gte=beginning, element_id__lt=beginning + LAST_CHARACTER)
        found += rows.filter(begins & ~known)[: limit - len(found)]
        if len(found) == limit or not text:
            return found
        known |= begins
    return [*found, *rows.filter(containing(text) & ~known)[: limit - len(found)]]
