"""The REST routes of a dimension."""

from collections.abc import Collection
from functools import partial

from django.urls import URLPattern, path, re_path

from bulkops.rest.deletion_views import DeletionViewSet
from bulkops.rest.plan_views import PlanViewSet
from bulkops.rest.schema import DeletionForm
from bulkops.rest.views import BulkViewSet
from dimensions_site.api.parsers import NoBodyParser
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.rest.history_views import history_routes
from dimensions_site.elements.rest.views import element_routes


def dimension_routes(
    dimension: Dimension, deletions: DeletionForm, *, answers_elements: bool, ignores_query: Collection[str] = ()
) -> list[URLPattern]:
    """Return the routes below `{dbID}/<dimension>/`.

    A bulk save `answers_elements`, or only that they are saved (contract E3); `ignores_query` as of `element_routes`.
    """
    return [
        *element_routes(dimension, ignores_query=ignores_query),
        *history_routes(dimension),
        *_bulk_routes(dimension, answers_elements=answers_elements),
        *_deletion_routes(dimension, deletions),
        *_plan_routes(dimension),
    ]


def _bulk_routes(dimension: Dimension, *, answers_elements: bool) -> list[URLPattern]:
    view = partial(BulkViewSet.as_view, dimension=dimension, answers_elements=answers_elements)
    minimal = path("elements-bulk-minimal", view({"post": "save_minimal"}), name="elements-bulk-minimal")
    save = path("elements-bulk", view({"post": "save"}), name="elements-bulk")
    return [save, minimal] if answers_elements else [save]


def _deletion_routes(dimension: Dimension, form: DeletionForm) -> list[URLPattern]:
    """Return the routes in both spellings, because clients append the id to the path of the start (contract A2)."""
    view = partial(DeletionViewSet.as_view, dimension=dimension, form=form)
    many, one = view({"get": "list", "post": "start"}), view({"get": "show", "delete": "abort"})
    return [
        path("elements-bulk-delete-async", many, name="deletions"),
        path("elements-bulk-delete-asynch", many, name="deletions-other-spelling"),
        # Whatever the id, clients without access learn nothing about it (contract A6).
        re_path(r"^elements-bulk-delete-async/(?P<oid>(?s:.+))\Z", one, name="deletion"),
        re_path(r"^elements-bulk-delete-asynch/(?P<oid>(?s:.+))\Z", one, name="deletion-other-spelling"),
    ]


def _plan_routes(dimension: Dimension) -> list[URLPattern]:
    view = partial(PlanViewSet.as_view, dimension=dimension)
    apply = view({"post": "apply"}, parser_classes=(NoBodyParser,))
    one = r"^elements-plans/(?P<plan_id>[^/]+)"
    return [
        path("elements-plans", view({"get": "list", "post": "make"}), name="plans"),
        re_path(rf"{one}\Z", view({"get": "show", "delete": "remove"}), name="plan"),
        re_path(rf"{one}/changes\Z", view({"get": "changes"}), name="plan-changes"),
        re_path(rf"{one}/apply\Z", apply, name="plan-apply"),
    ]
