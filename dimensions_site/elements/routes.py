"""The table of contents of a dimension."""

from django.urls import URLPattern, path, re_path

from dimensions_site.elements.views import ElementViewSet


def element_routes(viewset: type[ElementViewSet]) -> list[URLPattern]:
    """The routes of one dimension, below `{dbID}/<dimension>/`.

    An id may contain any character, `/` included (contract A3); a path with a trailing slash is no route of
    its own (A5).
    """
    elements = viewset.as_view({"get": "list", "post": "create"})
    element = viewset.as_view({"get": "retrieve", "put": "replace", "patch": "modify"})
    return [
        path("elements", elements, name="elements"),
        re_path(r"^elements/(?P<id>(?s:.+))\Z", element, name="element"),
        path("elements-count", viewset.as_view({"get": "count"}), name="elements-count"),
        path("elements-fetch", viewset.as_view({"get": "fetch"}), name="elements-fetch"),
    ]
