"""The routes of a dimension that write many elements."""

from django.urls import URLPattern, path, re_path

from bulkops.deletion_views import DeletionViewSet
from bulkops.views import BulkViewSet


def bulk_routes(bulk: type[BulkViewSet], deletion: type[DeletionViewSet]) -> list[URLPattern]:
    """The routes below `{dbID}/<dimension>/` for many elements at once.

    The start of a deletion answers to both spellings (contract A2).
    """
    return [
        path("elements-bulk", bulk.as_view({"post": "save"}), name="elements-bulk"),
        path("elements-bulk-delete-async", deletion.as_view({"get": "list", "post": "start"}), name="deletions"),
        path("elements-bulk-delete-asynch", deletion.as_view({"post": "start"}), name="deletions-other-spelling"),
        # Whatever stands there, strangers learn nothing about it (contract A6).
        re_path(
            r"^elements-bulk-delete-async/(?P<oid>(?s:.+))\Z",
            deletion.as_view({"get": "show", "delete": "abort"}),
            name="deletion",
        ),
    ]
