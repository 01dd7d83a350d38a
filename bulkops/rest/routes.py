"""The REST routes of a dimension."""

from collections.abc import Collection
from functools import partial

from django.urls import URLPattern, path, re_path

from bulkops.rest.plan_views import PlanViewSet
from bulkops.rest.schema import DeletionForm
from bulkops.rest.views import BulkViewSet, DeletionViewSet
from dimensions_site.api.parsers import BulkBodyParser, NoBodyParser
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.rest.history_views import history_routes
from dimensions_site.elements.rest.views import element_routes


def dimension_routes(
    dimension: Dimension, deletions: DeletionForm, *, answers_elements: bool, ignores_query: Collection[str] = ()
) -> list[URLPattern]:
    """Return the routes below `{dbID}/<dimension>/`.

    A bulk save `answers_elements`, or only that they are saved (contract E3); `ignores_query` as of `element_routes`.
    """
    bulk = partial(BulkViewSet.as_view, dimension=dimension, answers_elements=answers_elements)
    minimal = path("elements-bulk-minimal", bulk({"post": "save_minimal"}), name="elements-bulk-minimal")
    deletion = partial(DeletionViewSet.as_view, dimension=dimension, form=deletions)
    many, one = deletion({"get": "list", "post": "start"}), deletion({"get": "show", "delete": "abort"})
    plan, plan_path = partial(PlanViewSet.as_view, dimension=dimension), r"^elements-plans/(?P<plan_id>[^/]+)"
    decisions = [(name, plan({"post": name}, parser_classes=(BulkBodyParser,))) for name in ("approve", "reject")]
    apply = plan({"post": "apply"}, parser_classes=(NoBodyParser,))
    return [
        *element_routes(dimension, ignores_query=ignores_query),
        *history_routes(dimension),
        path("elements-bulk", bulk({"post": "save"}), name="elements-bulk"),
        *([minimal] if answers_elements else []),
        # In both spellings, because clients append the id to the path of the start (contract A2).
        path("elements-bulk-delete-async", many, name="deletions"),
        path("elements-bulk-delete-asynch", many, name="deletions-other-spelling"),
        # Whatever the id, clients without access learn nothing about it (contract A6).
        re_path(r"^elements-bulk-delete-async/(?P<oid>(?s:.+))\Z", one, name="deletion"),
        re_path(r"^elements-bulk-delete-asynch/(?P<oid>(?s:.+))\Z", one, name="deletion-other-spelling"),
        path("elements-plans", plan({"get": "list", "post": "make"}), name="plans"),
        re_path(rf"{plan_path}\Z", plan({"get": "show", "delete": "remove"}), name="plan"),
        re_path(rf"{plan_path}/changes\Z", plan({"get": "changes"}), name="plan-changes"),
        re_path(rf"{plan_path}/apply\Z", apply, name="plan-apply"),
        *(re_path(rf"{plan_path}/{name}\Z", view, name=f"plan-{name}") for name, view in decisions),
    ]
