"""The page that shows a chart as a tree of its number ranges."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from dimensions_site.administration.base.bounded import LONGEST_SEARCH, Page
from dimensions_site.administration.base.current import current_repository
from dimensions_site.administration.base.naming import first_fitting, shown_description
from dimensions_site.administration.base.paging import Counted
from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.elements.reading.ranges import OPENED_ELEMENTS, Level, RangeNode, level, opened_level
from dimensions_site.repositories.models import Repository

FOUND_ELEMENTS = 50
_COLUMNS = ("element_id", "descriptions")


def show_tree(admin: ScopedAdmin, request: HttpRequest) -> HttpResponse:
    """Show the first level of `?repository=`, or what is below `?under=`, an id or a beginning, to look at only.

    The heading in `?above=` is above that level already. `?open=all` shows all levels of up to `OPENED_ELEMENTS`
    elements, and `?q=` what a search finds. For htmx the page around the level is left out.
    """
    repositories = list(admin.repositories(request))
    current = None if "repository" in request.GET else current_repository(request)
    repository = current if current in repositories else _chosen(repositories, request.GET.get("repository", ""))
    under, above, text = (request.GET.get(name, "") for name in ("under", "above", "q"))
    if max(map(len, (under, above, text))) > LONGEST_SEARCH:
        raise Http404
    context = {"repositories": repositories, "repository": repository, "under": under, "text": text}
    if repository is not None:
        context |= _shown(admin, repository, under, above, text, is_opened=request.GET.get("open") == "all")
    title, part, whole = TREE_PAGE.title_of(admin), "admin/elements/tree_level.html", "admin/elements/tree.html"
    return admin.render_part(request, part, whole, title=title, **context)


def _shown(
    admin: ScopedAdmin, repository: Repository, under: str, above: str, text: str, *, is_opened: bool
) -> dict[str, Any]:
    """Return the level that the address asks for: found elements, all levels below each other, or one."""
    rows, whole = admin.model.of(repository), None
    if text:
        found = first_fitting(rows.order_by("element_id").only(*_COLUMNS), text.strip(), FOUND_ELEMENTS + 1)
        nodes = [RangeNode(one.element_id, one) for one in found[:FOUND_ELEMENTS]]
        shown = Level(nodes, len(nodes), len(found) > FOUND_ELEMENTS)
    else:
        if is_opened:
            whole = opened_level(rows, under, _COLUMNS, above)
        shown = whole or level(rows, under, _COLUMNS, above)
    _complete(admin, shown.nodes, repository)
    return {
        "level": shown,
        "nodes": shown.nodes,
        "is_opened": whole is not None,
        "is_too_large": is_opened and whole is None,
        "most": Counted(OPENED_ELEMENTS),
    }


def _complete(admin: ScopedAdmin, nodes: list[RangeNode], repository: Repository) -> None:
    """Give the nodes numbers with grouped digits, and their elements descriptions and addresses."""
    for node in nodes:
        node.number = Counted(node.number)
        for element in (node.element, *node.ends):
            if element is not None:
                element.shown = shown_description(element, repository)
                element.address = admin.route("change", element.pk)
        _complete(admin, node.below, repository)


def _chosen(repositories: list[Repository], key: str) -> Repository | None:
    """Return the repository with this primary key, or the only one; None if it is to be chosen. Raises Http404."""
    if not key:
        return repositories[0] if len(repositories) == 1 else None
    found = next((one for one in repositories if str(one.pk) == key), None)
    if found is None:
        raise Http404
    return found


TREE_PAGE = Page("tree", "tree/", show_tree, "GET", "view", _("%(elements)s as a tree"), "account_tree")
