"""Finding elements by what people type: a part of the id, or of the description in any language."""

from functools import reduce
from operator import and_

from django.db.models import F, Q

from dimensions_site.elements.searching import SEARCHED
from dimensions_site.rsql.conditions import AnyEntry, Contains, EntryText, Needle, narrowed
from dimensions_site.rsql.expressions import Fold


def containing(text: str) -> Q:
    """Elements in whose id or some description each word of `text` occurs, whatever its case (contract D2)."""
    return reduce(and_, map(_containing_word, dict.fromkeys(text.split())), Q())


def _containing_word(word: str) -> Q:
    part = Fold(Needle(word))
    in_an_entry = AnyEntry(F(SEARCHED), Contains(Fold(EntryText()), part))
    return Q(Contains(Fold(F("element_id")), part)) | Q(narrowed(in_an_entry, SEARCHED, word, folded=True))
