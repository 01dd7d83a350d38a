"""An element as its page shows it, and a submitted form, merged with what others saved meanwhile (contract C16)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import msgspec
import orjson
from django.http import Http404, QueryDict
from django.utils.translation import gettext as _

from dimensions_site.administration.elements.forms import ElementForm
from dimensions_site.elements.declaration.structs import defaults_of
from dimensions_site.elements.declaration.wire import Place, Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.etags import etag_of, versions_since
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.writing.differences import words_of
from dimensions_site.elements.writing.merging import Absent, Spot, put_field, three_way_merge, value_of
from dimensions_site.repositories.models import Repository

# Hidden fields of the form: the tag of the version that it shows, each conflict as JSON, and the user's choice for it
# by its number.
ETAG, CONFLICT, CHOICE = "_etag", "_conflict", "_choice"
THEIRS, MINE = "theirs", "mine"


@dataclass(frozen=True)
class PageElement:
    """An element of a repository, or a new one (`element` is None), as wire JSON with the tag of its version.

    One that was deleted while it was edited is new again; `deletion` is its last version.
    """

    repository: Repository
    element: Any
    json: Mapping[str, Any]
    etag: str | None = None
    deletion: Any = None


def stored_element(dimension: Dimension, element: Any) -> PageElement:
    """Return the element as it is stored, with the JSON of REST. Raises Http404 if it was deleted a moment ago."""
    repository = element.repository
    text = full_renderer(dimension, repository.default_language).one(repository, element.element_id)
    if text is None:
        raise Http404
    return PageElement(repository, element, orjson.loads(text), etag_of(text))


def new_element(dimension: Dimension, repository: Repository) -> PageElement:
    """Return a new element of the repository, with nothing but default values (contract C8)."""
    return PageElement(repository, None, defaults_of(dimension.wire.declaration).completed({}))


@dataclass(frozen=True)
class ConflictChoice:
    """A conflict as the page shows it: the value before both changes, the two values, and the one `chosen` so far.

    `who` stored theirs; empty if that is not known any more. The form sends again what was before, and who it was.
    """

    place: Place
    key: str | None
    base: str
    who: str
    chosen: str = ""
    theirs: str = ""
    mine: str = ""

    @property
    def spot(self) -> Spot:
        return Spot(self.place.path, self.key)

    @property
    def heading(self) -> str:
        return self.place.heading_of(self.key)

    @property
    def sent(self) -> str:
        """Return how the form names the conflict."""
        return orjson.dumps([self.place.path, self.key, self.base, self.who]).decode()

    def between(self, theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> "ConflictChoice":
        """Return the conflict of these two elements."""
        their_words, my_words = (_words(self.place, value_of(element, self.spot)) for element in (theirs, mine))
        return replace(self, theirs=their_words, mine=my_words)


@dataclass(frozen=True)
class Attempt:
    """What is to be saved: the wire JSON `element`, made for the stored version with the tag `etag`.

    `form` shows it. `taken` are the fields that only others changed, with their names. Nothing is saved while there
    are `choices`.
    """

    form: ElementForm
    element: dict[str, Any]
    etag: str | None
    taken: Sequence[str] = ()
    choices: Sequence[ConflictChoice] = ()

    @property
    def linked_choices(self) -> list[tuple[ConflictChoice, str]]:
        return [(choice, self.form.controls[choice.place.path].anchor(choice.key)) for choice in self.choices]

    @property
    def is_ready(self) -> bool:
        return not self.choices and not self.form.error_count


def merged_attempt(
    dimension: Dimension, stored: PageElement, form_of: Callable[[Mapping[str, Any]], ElementForm], data: QueryDict
) -> Attempt:
    """Return what was typed in a form of the `stored` element, merged with what is stored now.

    `form_of` makes a form that shows wire JSON.
    """
    wire, etag = dimension.wire, data.get(ETAG, "")
    is_current = etag == stored.etag
    # The newest is the first; the last is the version that the form shows.
    since = [stored.json] if is_current else versions_since(dimension, stored.element, etag) if etag else []
    begun = since[-1] if since else None
    form = form_of(stored.json if begun is None else begun)
    mine = form.read(data)
    listed = _listed(wire, data)
    if form.error_count:
        # Invalid input cannot be merged; the form stays based on the version that it shows.
        return Attempt(form, mine, etag, choices=[choice.between(begun or {}, mine) for choice in listed])
    is_open = any(
        not choice.chosen and value_of(mine, choice.spot) != value_of(stored.json, choice.spot) for choice in listed
    )
    for choice in listed:
        if choice.chosen == THEIRS and begun is not None and not is_open:
            put_field(mine, choice.spot, value_of(begun, choice.spot))
            form.show(mine, choice.spot)
    merge = three_way_merge(wire, begun, mine, stored.json)
    form.rebase(stored.json)
    for spot in merge.taken:
        form.show(merge.element, spot)
    choices = {choice.spot: choice for choice in listed if is_open}
    if not is_current:
        # None of the earlier choices is kept: they were between other values.
        choices = {spot: replace(choice, chosen="") for spot, choice in choices.items()}
    for conflict in merge.conflicts:
        place, spot = wire.places[conflict.spot.path], conflict.spot
        choices[spot] = ConflictChoice(place, spot.key, _words(place, conflict.base), _author(since, spot))
    named = (
        {"field": wire.places[spot.path].heading_of(spot.key), "who": _author(since, spot)} for spot in merge.taken
    )
    taken = [_("%(field)s by %(who)s") % words for words in named]
    shown = [choice.between(stored.json, mine) for choice in choices.values()]
    return Attempt(form, merge.element, stored.etag, taken, shown)


def _author(since: Sequence[Mapping[str, Any]], spot: Spot) -> str:
    """Return who stored the current value of the field; an empty text if that is not known any more."""
    changes = (new for new, old in pairwise(since) if value_of(new, spot) != value_of(old, spot))
    return next((str(new["updateInfo"]["user"]) for new in changes), "")


def _listed(wire: Wire, data: QueryDict) -> list[ConflictChoice]:
    """Return the conflicts that the form showed, with the user's choices, and without what no form names like this."""
    listed: dict[Spot, ConflictChoice] = {}
    for number, text in enumerate(data.getlist(CONFLICT)):
        try:
            path, key, base, who = msgspec.json.decode(text, type=tuple[str, str | None, str, str])
        except (msgspec.DecodeError, UnicodeEncodeError):
            continue
        place, chosen = wire.places.get(path), data.get(f"{CHOICE}:{number}", "")
        if place is not None and not place.leaf.read_only and (key is not None) == place.is_map:
            choice = ConflictChoice(place, key, base, who, chosen if chosen in (THEIRS, MINE) else "")
            listed[choice.spot] = choice
    return list(listed.values())


def _words(place: Place, value: Any) -> str:
    if value is Absent.UNKNOWN:
        return _("not known any more")
    return _("not set") if value is Absent.ENTRY else words_of(place, value)
