"""Which elements refer to an element, by whatever field of the wire."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.contrib.admin import AdminSite
from django.db.models import F, Q
from django.http import HttpRequest
from django.urls import reverse

from dimensions_site.elements.admin.paginator import MoreThan
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.models import Element
from dimensions_site.rsql.conditions import one_of
from dimensions_site.rsql.expressions import JsonLeaf

SHOWN = 20
# That many are counted.
COUNTED = 1_000


@dataclass(frozen=True)
class Uses:
    """The elements of one dimension that refer to an element: the first of them with their pages, and how many."""

    name: str
    number: int
    first: list[tuple[str, str]]


def uses_of(element: Element, dimension: str, request: HttpRequest, site: AdminSite) -> Iterator[Uses]:
    """Where `element` of `dimension` is used in its repository, as far as the user's grants let see; a query for each.

    A dimension without a field that could refer to it is left out.
    """
    for admin in site._registry.values():
        if not isinstance(admin, ScopedAdmin):
            continue
        condition = _referring(admin, dimension, element.element_id)
        if condition is None or not admin.has_view_permission(request, element):
            continue
        rows = admin.model._base_manager.filter(condition, repository=element.repository).order_by("element_id")
        found = list(rows.values_list("pk", "element_id")[: COUNTED + 1])
        route = f"admin:{admin.opts.app_label}_{admin.opts.model_name}_change"
        yield Uses(
            str(admin.opts.verbose_name if len(found) == 1 else admin.opts.verbose_name_plural),
            MoreThan(COUNTED) if len(found) > COUNTED else len(found),
            [(id, reverse(route, args=[key])) for key, id in found[:SHOWN]],
        )


def _referring(admin: ScopedAdmin, dimension: str, id: str) -> Q | None:
    """Elements of the admin's dimension that have `id` in a field which refers to `dimension`."""
    referring = [
        Q(one_of(JsonLeaf(place.column, place.inside, place.leaf.kind) if place.inside else F(place.column), [id]))
        for place in admin.wire.places.values()
        if place.leaf.refers_to == dimension
    ]
    return reduce(or_, referring) if referring else None
