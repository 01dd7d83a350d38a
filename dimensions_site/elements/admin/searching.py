"""Finding elements by what people type: a part of the id, or of the description in any language."""

import json
from functools import reduce
from operator import and_

from django.db.models import F, Q, TextField
from django.db.models.functions import Cast

from dimensions_site.rsql.conditions import AnyEntry, Contains, EntryText, Needle
from dimensions_site.rsql.expressions import Fold


def containing(text: str) -> Q:
    """Elements in whose id or some description each word of `text` occurs, whatever its case (contract D2)."""
    return reduce(and_, map(_containing_word, dict.fromkeys(text.split())), Q())


def _containing_word(word: str) -> Q:
    part = Fold(Needle(word))
    # Most elements do not have the word anywhere, which their JSON text tells sooner than its entries.
    in_json = Fold(Needle(json.dumps(word, ensure_ascii=False)[1:-1]))
    somewhere = Contains(Fold(Cast(F("descriptions"), TextField())), in_json)
    in_an_entry = AnyEntry(F("descriptions"), Contains(Fold(EntryText()), part))
    return Q(Contains(Fold(F("element_id")), part)) | Q(somewhere) & Q(in_an_entry)
