"""An element as its page shows it, and a submitted form, merged with what others saved meanwhile (contract C16)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import orjson
from django.http import Http404, QueryDict
from django.utils.translation import gettext as _

from dimensions_site.administration.elements.forms import ElementForm
from dimensions_site.elements.declaration.structs import defaults_of
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.etags import etag_of, versions_since
from dimensions_site.elements.reading.rendering import full_renderer
from dimensions_site.elements.writing.differences import words_of
from dimensions_site.elements.writing.merging import Absent, Conflict, Spot, put_field, three_way_merge, value_at
from dimensions_site.repositories.models import Repository

# Hidden fields of the form: the tag of the version that it shows, the tag of the version in which the conflicts began,
# each conflict as JSON, and the user's choice for it by its number.
ETAG, BASE, CONFLICT, CHOICE = "_etag", "_base", "_conflict", "_choice"
THEIRS, MINE = "theirs", "mine"


@dataclass(frozen=True)
class PageElement:
    """An element of a repository, or a new one (`element` is None), as wire JSON with the tag of its version."""

    repository: Repository
    element: Any
    json: Mapping[str, Any]
    etag: str | None = None


def stored_element(dimension: Dimension, element: Any) -> PageElement:
    """Return the element as it is stored, with the JSON of REST. Raises Http404 if it was deleted a moment ago."""
    repository = element.repository
    text = full_renderer(dimension, repository.default_language).one(repository, element.element_id)
    if text is None:
        raise Http404
    return PageElement(repository, element, orjson.loads(text), etag_of(text))


def new_element(dimension: Dimension, repository: Repository) -> PageElement:
    """Return a new element of the repository, with nothing but default values (contract C8)."""
    return PageElement(repository, None, defaults_of(dimension.wire.serializer()).completed({}))


@dataclass(frozen=True)
class ConflictChoice:
    """A conflict as the page shows it: what people call the field, its three values, and the value `chosen` so far.

    `who` stored theirs; empty if that is not known any more.
    """

    spot: Spot
    heading: str
    base: str
    theirs: str
    mine: str
    who: str
    chosen: str = ""

    @property
    def sent(self) -> str:
        """Return how the form names the field."""
        return orjson.dumps([self.spot.path, self.spot.key]).decode()


@dataclass(frozen=True)
class Attempt:
    """What is to be saved: the wire JSON `element`, made for the stored version with the tag `etag`.

    `form` shows it. `taken` are the fields that only others changed, with their names. Nothing is saved while there
    are `choices`; `base` is the tag of the version in which they began.
    """

    form: ElementForm
    element: dict[str, Any]
    etag: str | None
    taken: Sequence[str] = ()
    choices: Sequence[ConflictChoice] = ()
    base: str | None = None

    @property
    def linked_choices(self) -> list[tuple[ConflictChoice, str]]:
        return [(choice, self.form.controls[choice.spot.path].anchor(choice.spot.key)) for choice in self.choices]

    @property
    def is_ready(self) -> bool:
        return not self.choices and not self.form.error_count


@dataclass
class Reader:
    """Reads forms of the `stored` element: `form_of` makes a form that shows wire JSON."""

    dimension: Dimension
    stored: PageElement
    form_of: Callable[[Mapping[str, Any]], ElementForm]
    # The versions since the form was opened, and since the open conflicts began; the newest is the first.
    _since: Sequence[Mapping[str, Any]] = ()
    _contested: Sequence[Mapping[str, Any]] = ()

    def read(self, data: QueryDict) -> Attempt:
        """Return what was typed in the form, merged with what is stored now."""
        stored, etag = self.stored, data.get(ETAG, "")
        is_current = etag == stored.etag
        self._since, self._contested = (self._versions(tag) for tag in ("" if is_current else etag, data.get(BASE, "")))
        begun = stored.json if is_current else self._since[-1] if self._since else None
        form = self.form_of(stored.json if begun is None else begun)
        mine = form.read(data)
        listed = self._listed(data)
        if form.error_count:
            # Invalid input cannot be merged; the form stays based on the version that it shows.
            choices = self._choices(self._undecided(listed, mine, begun or {}), listed)
            return Attempt(form, mine, etag, choices=choices, base=data.get(BASE))
        is_open = any(
            not chosen and value_at(mine, spot) != value_at(stored.json, spot) for spot, chosen in listed.items()
        )
        undecided = self._undecided(listed, mine, stored.json) if is_open else []
        for spot, chosen in listed.items():
            if chosen == THEIRS and begun is not None and not undecided:
                put_field(mine, spot, value_at(begun, spot))
                form.controls[spot.path].show(value_at(mine, Spot(spot.path)))
        if is_current:
            choices = self._choices(undecided, listed)
            return Attempt(form, mine, etag, choices=choices, base=data.get(BASE) if choices else None)
        merge = three_way_merge(self.dimension.wire, begun, mine, stored.json)
        shown = self.form_of(stored.json)
        shown.adopt(form)
        for spot in merge.taken:
            shown.controls[spot.path].show(value_at(merge.element, Spot(spot.path)))
        conflicts = {conflict.spot: conflict for conflict in [*undecided, *merge.conflicts]}
        # None of the earlier choices is kept: they were between other values.
        choices = self._choices(conflicts.values(), {})
        named = ({"field": self._heading(spot), "who": self._author(spot)} for spot in merge.taken)
        taken = [_("%(field)s by %(who)s") % words for words in named]
        return Attempt(shown, merge.element, stored.etag, taken, choices, etag if choices else None)

    def _versions(self, etag: str) -> Sequence[Mapping[str, Any]]:
        return versions_since(self.dimension, self.stored.element, etag) if etag else []

    def _author(self, spot: Spot) -> str:
        """Return who stored the current value of the field; an empty text if that is not known any more."""
        versions = pairwise(self._contested or self._since)
        changes = (new for new, old in versions if value_at(new, spot) != value_at(old, spot))
        return next((str(new["updateInfo"]["user"]) for new in changes), "")

    def _listed(self, data: QueryDict) -> dict[Spot, str]:
        """Return the conflicts that the form showed, each with the user's choice; an empty text where there is none."""
        listed: dict[Spot, str] = {}
        for number, text in enumerate(data.getlist(CONFLICT)):
            spot = self._spot(text)
            if spot is not None:
                chosen = data.get(f"{CHOICE}:{number}", "")
                listed[spot] = chosen if chosen in (THEIRS, MINE) else ""
        return listed

    def _spot(self, text: str) -> Spot | None:
        """Return the field that the form named; None if no form names it like this."""
        try:
            path, key = orjson.loads(text)
        except (ValueError, TypeError):
            return None
        place = self.dimension.wire.places.get(path) if isinstance(path, str) else None
        fits = (
            place is not None and not place.leaf.read_only and (isinstance(key, str) if place.is_map else key is None)
        )
        return Spot(path, key) if fits else None

    def _undecided(self, listed: Iterable[Spot], mine: Mapping[str, Any], stored: Mapping[str, Any]) -> list[Conflict]:
        base = self._contested[-1] if self._contested else None
        return [
            Conflict(
                spot,
                Absent.UNKNOWN if base is None else value_at(base, spot),
                value_at(stored, spot),
                value_at(mine, spot),
            )
            for spot in listed
        ]

    def _choices(self, conflicts: Iterable[Conflict], listed: Mapping[Spot, str]) -> list[ConflictChoice]:
        return [
            ConflictChoice(
                conflict.spot,
                self._heading(conflict.spot),
                self._words(conflict.spot, conflict.base),
                self._words(conflict.spot, conflict.theirs),
                self._words(conflict.spot, conflict.mine),
                self._author(conflict.spot),
                listed.get(conflict.spot, ""),
            )
            for conflict in conflicts
        ]

    def _heading(self, spot: Spot) -> str:
        return self.dimension.wire.places[spot.path].heading_of(spot.key)

    def _words(self, spot: Spot, value: Any) -> str:
        if value is Absent.UNKNOWN:
            return _("not known any more")
        return _("not set") if value is Absent.ENTRY else words_of(self.dimension.wire.places[spot.path], value)
