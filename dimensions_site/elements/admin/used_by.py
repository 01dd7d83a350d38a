"""The elements that refer to an element, by any of their fields."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.contrib.admin import AdminSite
from django.db.models import F, Q
from django.http import HttpRequest

from dimensions_site.elements.admin.listing import MoreThan
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.models import Element
from dimensions_site.rsql.conditions import one_of
from dimensions_site.rsql.expressions import JsonLeaf

SHOWN = 20
# The maximum that is counted.
COUNTED = 1_000


@dataclass(frozen=True)
class Uses:
    """The elements of one dimension that refer to an element: the first of them with their pages, and how many."""

    name: str
    number: int
    first: list[tuple[str, str]]


def uses_of(element: Element, dimension: Dimension, request: HttpRequest, site: AdminSite) -> Iterator[Uses]:
    """Return where `element` of `dimension` is used in its repository, within the user's grants; one query for each
    dimension.

    Dimensions without a field that could refer to it are left out.
    """
    for admin in site._registry.values():
        if not isinstance(admin, ScopedAdmin):
            continue
        condition = _referring(admin, dimension, element.element_id)
        if condition is None or not admin.has_view_permission(request, element):
            continue
        rows = admin.model.of(element.repository_id).filter(condition).order_by("element_id")
        found = list(rows.values_list("pk", "element_id")[: COUNTED + 1])
        yield Uses(
            str(admin.opts.verbose_name if len(found) == 1 else admin.opts.verbose_name_plural),
            MoreThan(COUNTED) if len(found) > COUNTED else len(found),
            [(id, admin.route("change", key)) for key, id in found[:SHOWN]],
        )


def _referring(admin: ScopedAdmin, dimension: Dimension, id: str) -> Q | None:
    """Return the elements of the admin's dimension that have `id` in a field that refers to `dimension`."""
    referring = [
        Q(one_of(JsonLeaf(place.column, place.inside, place.leaf.kind) if place.inside else F(place.column), [id]))
        for place in admin.dimension.wire.places.values()
        if place.leaf.refers_to == dimension.name
    ]
    return reduce(or_, referring) if referring else None
