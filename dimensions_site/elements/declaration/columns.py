"""The columns of a model, from the declaration of its wire."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from dimensions_site.elements.declaration.fields import Leaf
from dimensions_site.elements.declaration.serializers import Bundle, Group, WireObject
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.models import ElementColumns

_Model = TypeVar("_Model", bound=type[ElementColumns])


def columns_of(wire: Wire) -> Callable[[_Model], _Model]:
    """Return the decorator that gives a model the columns of the `wire` that `ElementColumns` has not, in its order.

    A leaf is a column, and so is a bundle, as JSON. A column has the wire name in snake case, after the `prefix` of its
    group.
    """

    def with_columns(model: _Model) -> _Model:
        existing = {column.name for column in model._meta.local_fields}
        for member in _stored(wire.serializer()):
            if member.source not in existing:
                model.add_to_class(str(member.source), member.model_field())
        return model

    return with_columns


def _stored(declaration: WireObject) -> Iterator[Leaf | Bundle]:
    """Yield the leaves and bundles that are columns."""
    for member in declaration.fields.values():
        if isinstance(member, Group):
            yield from _stored(member)
        elif isinstance(member, Leaf | Bundle):
            yield member
