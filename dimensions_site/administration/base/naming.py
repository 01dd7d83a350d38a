"""How pages find elements by words, describe them in the language of the page, lead to them, and name their fields."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import Any

from django.db.models import F, Max, Q, QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.elements.declaration.indexes import SEARCHED
from dimensions_site.elements.declaration.wire import NamedField, ObjectNode
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.descriptions import Texts, excerpts, is_in, preferred_text
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.conditions import AnyEntry, Condition, Contains, EntryText, Needle, has_trigram, narrow
from dimensions_site.rsql.expressions import Fold
from dimensions_site.text.formats import shortened

_SHOWN = 120


def contains_text(column: str, text: str) -> Q:
    """Return the condition that the `column` contains the `text`, in any case."""
    return Q(Contains(Fold(F(column)), Fold(Needle(text))))


def language_of_page(default: str) -> str:
    """Return the language of the page, without its region; `default` if none is active."""
    return (get_language() or default).partition("-")[0]


def description_of(texts: Texts, repository: Repository) -> str:
    """Return the text in the language of the page if there is one, else another; empty without any."""
    default = repository.default_language
    return preferred_text(texts, language_of_page(default), default)[1]


def shown_description(element: Any, repository: Repository, words: Sequence[str] = ()) -> SafeString:
    """Return the description of the `element` of the `repository`, in the language of the page if there is one.

    Those of the searched `words` that are not in it nor in the id are shown in the texts that have them. A language
    that is not the page's is named.
    """
    default = repository.default_language
    language = language_of_page(default)
    tag, text = preferred_text(element.descriptions, language, default)
    shown = shortened(text, _SHOWN)
    further = [
        (other, shortened(excerpt, _SHOWN))
        for other, excerpt in excerpts(element.descriptions, words, f"{element.element_id}\n{shown}")
    ]
    return format_html(
        '<span class="element-described">{}{}{}</span>',
        shown,
        "" if is_in(language, tag) else _named(tag),
        format_html_join(
            "",
            '<span class="element-found">{}{}</span>',
            ((excerpt, "" if is_in(language, other) else _named(other)) for other, excerpt in further),
        ),
    )


def _named(tag: str) -> SafeString:
    return format_html(" <small>({})</small>", tag) if tag else SafeString("")


def element_route(dimension: Dimension, page: str, *arguments: object) -> str:
    """Return the URL of a page of the elements of a `dimension`, such as `changelist`."""
    opts = dimension.model._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=arguments)


def element_addresses(dimension: Dimension, repository: Repository, ids: Collection[str]) -> dict[str, str]:
    """Return the URLs of the elements with these `ids`: their pages, or their versions if they are deleted.

    One that never existed has none. Two queries.
    """
    stored = with_ids(dimension.model, repository, list(ids))
    found = {id: element_route(dimension, "change", key) for id, key in stored.values_list("element_id", "pk")}
    last = last_versions(dimension, repository, [id for id in ids if id not in found])
    return found | {id: element_route(dimension, "version", number) for id, number in last.items()}


def last_versions(dimension: Dimension, repository: Repository, ids: Collection[str]) -> dict[str, int]:
    """Return the number of the last version of each element, which leads to its history; one query."""
    versions = dimension.model.versions_of(repository).filter(element_id__in=ids)
    return dict(versions.order_by().values_list("element_id").annotate(Max("number")))


# Sorts after everything that begins with the same letters.
LAST_CHARACTER = "\U0010ffff"


def containing(text: str) -> Q:
    """Return the elements with each word of `text` in their id or a description, in any case (contract D2)."""
    return reduce(and_, map(_containing_word, dict.fromkeys(text.split())), Q())


def _containing_word(word: str) -> Q:
    part = Fold(Needle(word))
    in_an_entry: Condition = AnyEntry(F(SEARCHED), Contains(Fold(EntryText()), part))
    if has_trigram(word):
        in_an_entry = narrow(in_an_entry, SEARCHED, word)
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


# How many elements are read to learn which languages and attributes are in use; reading all would take too long.
_SAMPLE = 200


def known_keys(dimension: Dimension, repository: Repository) -> Mapping[str, Sequence[str]]:
    """Return the keys in the maps of the repository's elements, by the path of the map, the most frequent first.

    All maps of languages share theirs, with the default language first. One query.
    """
    places = [place for place in dimension.wire.places.values() if place.is_map]
    columns = [place.column for place in places]
    rows = dimension.model.of(repository).order_by("element_id").values_list(*columns)[:_SAMPLE]
    languages = Counter({repository.default_language: _SAMPLE * len(places) + 1})
    counters = {place.path: languages if place.leaf.has_languages else Counter[str]() for place in places}
    for row in rows:
        for place, entries in zip(places, row, strict=True):
            counters[place.path].update(list(entries or ()))
    return {path: sorted(uses, key=lambda key: (-uses[key], key)) for path, uses in counters.items()}


@dataclass
class FieldGroup:
    """Fields under one heading."""

    title: str
    fields: list[NamedField] = field(default_factory=list)


def grouped_fields(
    dimension: Dimension, known_keys: Mapping[str, Sequence[str]], is_offered: Callable[[NamedField], bool]
) -> list[FieldGroup]:
    """Return the offered fields by group, first those without a group.

    A map is followed by its entries with the `known_keys`, by its path.
    """
    general = FieldGroup(_("General"))
    groups = {"": general}
    for place in dimension.wire.places.values():
        outermost = dimension.wire.root.members[place.path.partition(".")[0]]
        group = general
        if isinstance(outermost, ObjectNode):
            group = groups.setdefault(outermost.path, FieldGroup(str(outermost.label)))
        entries = known_keys.get(place.path, ()) if place.is_map else ()
        named = [NamedField(place.path, place), *(NamedField(f"{place.path}.{key}", place, key) for key in entries)]
        group.fields += filter(is_offered, named)
    return [group for group in groups.values() if group.fields]
