"""The routes of a dimension that write many elements."""

from django.urls import URLPattern, path, re_path

from bulkops.rest.deletion_views import DeletionViewSet
from bulkops.rest.plan_views import PlanViewSet
from bulkops.rest.views import BulkViewSet
from dimensions_site.api.parsers import NoBodyParser


def bulk_routes(bulk: type[BulkViewSet], deletion: type[DeletionViewSet]) -> list[URLPattern]:
    """Return the routes below `{dbID}/<dimension>/` for many elements.

    Deletions have both spellings, because clients append the id to the path of the start (contract A2).
    """
    many = deletion.as_view({"get": "list", "post": "start"})
    one = deletion.as_view({"get": "show", "delete": "abort"})
    minimal = path("elements-bulk-minimal", bulk.as_view({"post": "save_minimal"}), name="elements-bulk-minimal")
    return [
        path("elements-bulk", bulk.as_view({"post": "save"}), name="elements-bulk"),
        *([minimal] if bulk.answers_elements else []),
        path("elements-bulk-delete-async", many, name="deletions"),
        path("elements-bulk-delete-asynch", many, name="deletions-other-spelling"),
        # Whatever the id, clients without access learn nothing about it (contract A6).
        re_path(r"^elements-bulk-delete-async/(?P<oid>(?s:.+))\Z", one, name="deletion"),
        re_path(r"^elements-bulk-delete-asynch/(?P<oid>(?s:.+))\Z", one, name="deletion-other-spelling"),
    ]


def plan_routes(plans: type[PlanViewSet]) -> list[URLPattern]:
    """Return the routes below `{dbID}/<dimension>/` for plans (contract K4 to K7)."""
    apply = plans.as_view({"post": "apply"}, parser_classes=(NoBodyParser,))
    one = r"^elements-plans/(?P<plan_id>[^/]+)"
    return [
        path("elements-plans", plans.as_view({"get": "list", "post": "make"}), name="plans"),
        re_path(rf"{one}\Z", plans.as_view({"get": "show", "delete": "remove"}), name="plan"),
        re_path(rf"{one}/changes\Z", plans.as_view({"get": "changes"}), name="plan-changes"),
        re_path(rf"{one}/apply\Z", apply, name="plan-apply"),
    ]
