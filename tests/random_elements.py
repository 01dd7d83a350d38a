"""Many valid elements of any shape, quickly: as a client might send them, made from the declaration of their wire.

Hypothesis searches for what is rare; these are for many at a time, and the same for each seed.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from dimensions_site.elements.declaration.choices import BooleanField, EnumField
from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.maps import DescriptionField, DescriptionsField, LanguageMapField, MapField
from dimensions_site.elements.declaration.numbers import CoefficientField, DecimalTextField, IntegerField
from dimensions_site.elements.declaration.serializers import WireObject
from dimensions_site.elements.declaration.texts import IdField, TextField
from dimensions_site.elements.declaration.timestamps import TimestampField
from dimensions_site.elements.declaration.wire import Wire
from tests.strategies import respelled

_WORDS = ("cash", "Forderung", "attività", "créance", "\tbank\n", '"quoted"', "\\N", "现金", "😀", "", " ", "%s")
_DATES = ("2026-01-31", "2026-01-31T10:00:00.5+02:00", "2026-01-31T10:00:00.123000Z", "2026-01-31T10:00:00.000+0000")
_DECIMALS = ("0", "-1.50", "123456789012345.0123456789", 7, -3, 0.25, 12)


class RandomElements:
    """Makes elements of one dimension; each call continues where the last one ended."""

    def __init__(self, wire: Wire, seed: int) -> None:
        self._declaration = wire.declaration
        self._random = Random(seed)

    def many(self, count: int) -> list[dict[str, Any]]:
        """Elements with the ids `0000`, `0001` and so on; some in alternative spellings."""
        return [{**self.one(), "id": f"{number:04}"} for number in range(count)]

    def one(self) -> dict[str, Any]:
        """The members of a whole element."""
        element = dict(self._members(self._declaration, required=True))
        return respelled(element, self._random) if self._random.random() < 0.2 else element

    def changes(self) -> dict[str, Any]:
        """The members of a patch that suits any element."""
        return dict(self._members(self._declaration, required=False))

    def _members(self, declaration: WireObject, *, required: bool) -> Iterator[tuple[str, Any]]:
        wanted = self._random.choice((0.1, 0.5, 1))
        for name, member in declaration.fields.items():
            if isinstance(member, IdField | DescriptionField) or member.read_only:
                continue
            needed = required and _needs(member)
            if isinstance(member, WireObject):
                if needed or self._random.random() < wanted:
                    clears = not _needs(member) and self._random.random() < 0.15
                    yield name, None if clears else dict(self._members(member, required=required))
            elif needed or (name != "oid" and self._random.random() < wanted):
                clears = member.allow_null and self._random.random() < 0.15
                yield name, None if clears else self._value(member)

    def _value(self, leaf: Any) -> Any:
        make = next(make for kind, make in _VALUES if isinstance(leaf, kind))
        return make(self._random, leaf)


def _needs(member: Any) -> bool:
    """Whether something in the member is required."""
    if isinstance(member, WireObject):
        return any(_needs(inner) for inner in member.fields.values() if not inner.read_only)
    return isinstance(member, Leaf) and bool(member.required)


def _texts(random: Random, names: tuple[str, ...]) -> dict[str, str | None]:
    chosen = random.sample(names, random.randrange(len(names)))
    return {name: random.choice((None, *_WORDS)) for name in chosen}


# How values are made; the first kind that fits counts.
_VALUES: tuple[tuple[type, Callable[[Random, Any], Any]], ...] = (
    (DescriptionsField, lambda random, leaf: _texts(random, ("it", "fr", "de-CH")) | {"en": random.choice(_WORDS[:3])}),
    (LanguageMapField, lambda random, leaf: _texts(random, ("en", "it", "fr"))),
    (MapField, lambda random, leaf: _texts(random, ("region", "Größe", 'a"b', "\\N"))),
    (EnumField, lambda random, leaf: random.choice([*leaf.choices.values, *leaf.spellings])),
    (BooleanField, lambda random, leaf: random.random() < 0.5),
    # The end of a validity is not before any start.
    (TimestampField, lambda random, leaf: random.choice(_DATES) if leaf.field_name == "startDate" else "2030-12-31"),
    (IntegerField, lambda random, leaf: random.randint(leaf.minimum, leaf.maximum)),
    (CoefficientField, lambda random, leaf: random.choice((*_DECIMALS, True, False))),
    (DecimalTextField, lambda random, leaf: random.choice(_DECIMALS)),
    (TextField, lambda random, leaf: random.choice(_WORDS)),
)
