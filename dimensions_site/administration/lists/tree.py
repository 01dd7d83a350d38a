"""The page that shows a chart as a tree of its number ranges."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.administration.base.described import shown_description
from dimensions_site.administration.base.page import Page
from dimensions_site.administration.base.paging import Counted
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.elements.reading.ranges import RangeNode, level
from dimensions_site.repositories.models import Repository

_COLUMNS = ("element_id", "descriptions")


def show_tree(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    """Show the first level of `?repository=`, or with `?under=` what is below an id or a beginning, to look at only.

    For htmx the page around it is left out.
    """
    repositories = list(admin.repositories(request))
    repository = _chosen(repositories, request.GET.get("repository", ""))
    under = request.GET.get("under", "")
    if len(under) > LONGEST_SEARCH:
        raise Http404
    shown: dict[str, Any] = {}
    if repository is not None:
        found = level(admin.model.of(repository), under, _COLUMNS)
        _complete(admin, found.nodes, repository)
        shown = {"level": found, "nodes": found.nodes}
    context = {"repositories": repositories, "repository": repository, "under": under, **shown}
    if request.headers.get("HX-Request"):
        response = TemplateResponse(request, "admin/elements/tree_level.html", {"opts": admin.opts, **context})
    else:
        title = _("%(elements)s as a tree") % {"elements": admin.opts.verbose_name_plural}
        response = admin.render_page(request, "admin/elements/tree.html", title=title, **context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _complete(admin: ScopedAdmin, nodes: list[RangeNode], repository: Repository) -> None:
    """Give the nodes numbers with grouped digits, and their elements descriptions and addresses."""
    for node in nodes:
        node.number = Counted(node.number)
        if node.element is not None:
            node.element.shown = shown_description(node.element, repository)
            node.element.address = admin.route("change", node.element.pk)
        _complete(admin, node.below, repository)


def _chosen(repositories: list[Repository], key: str) -> Repository | None:
    """Return the repository with this primary key, or the only one; None if it is to be chosen. Raises Http404."""
    if not key:
        return repositories[0] if len(repositories) == 1 else None
    found = next((one for one in repositories if str(one.pk) == key), None)
    if found is None:
        raise Http404
    return found


TREE_PAGE = Page("tree", "tree/", show_tree, "GET", "view")
