"""What the repository knows that helps to fill in a form."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dimensions_site.elements.maps import LanguageMapField
from dimensions_site.elements.models import Element
from dimensions_site.elements.structs import shape_of
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository

# So many elements tell which languages and attributes are in use; to ask all of them takes too long.
_ASKED = 200


def known_keys(wire: Wire, model: type[Element], repository: Repository) -> Mapping[str, Sequence[str]]:
    """The names that elements of the repository have in their maps, by the path of the map, the most usual first.

    All maps of languages share theirs, and there the default language comes first. One query.
    """
    places = [place for place in wire.places.values() if place.is_map]
    columns = [place.column for place in places]
    asked = model._base_manager.filter(repository=repository).order_by("element_id").values_list(*columns)[:_ASKED]
    languages = Counter({repository.default_language: _ASKED * len(places) + 1})
    counters = {
        place.path: languages if isinstance(place.leaf, LanguageMapField) else Counter[str]() for place in places
    }
    for row in asked:
        for place, entries in zip(places, row, strict=True):
            counters[place.path].update(list(entries or ()))
    return {path: _by_use(counter) for path, counter in counters.items()}


def _by_use(counter: Counter[str]) -> list[str]:
    return sorted(counter, key=lambda key: (-counter[key], key))


def blank(wire: Wire) -> dict[str, Any]:
    """The wire JSON of an element in which nothing is filled in but what the defaults say (contract C8)."""
    return shape_of(wire.serializer()).completed({})
