"""What Ctrl-K finds within the user's grants: pages, actions, saved views, repositories, users and elements (G2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_GET

from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.administration.base.current import REPOSITORY, open_anywhere
from dimensions_site.administration.base.naming import contains_text, first_fitting, shown_description
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.administration.lists.saved import view_address
from dimensions_site.administration.site.help import GUIDES
from dimensions_site.administration.site.menu import sidebar
from dimensions_site.administration.site.panels import pages_of_elements
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.apps import fold
from dimensions_site.saved_views.models import SavedView

# Of each dimension.
SHOWN_ELEMENTS = 10
# Views of each dimension, repositories, users.
SHOWN_OTHERS = 5
_LISTED = ("element_id", "descriptions", "repository__db_id", "repository__default_language")


@dataclass(frozen=True)
class SearchResult:
    """What was found: its title, its description, its place, and a link."""

    title: str
    address: str
    icon: str
    description: str = ""
    place: str = ""


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Return the results for `?s=`, as a part of the page."""
    text = request.GET.get("s", "").strip()
    if not text:
        return HttpResponse()
    pages = pages_of_elements()
    found = [*_commands(request, pages, text)]
    if len(text) <= LONGEST_SEARCH:
        found += [*_views(request, pages, text), *_repositories(request, pages, text), *_users(request, text)]
    found += [one for page in pages for one in _elements(request, page, text)]
    return render(request, "admin/shell/command_results.html", {"found": found, "more": _more(request, pages, text)})


def _commands(request: HttpRequest, pages: list[DimensionAdmin], text: str) -> Iterator[SearchResult]:
    """Yield the pages of the menu and the actions whose names contain the text, in the language of the page or in
    English.
    """
    shown = [*_named(request, pages)]
    with override("en"):
        english = [title for title, *_where in _named(request, pages)]
    for (title, address, icon), other in zip(shown, english, strict=True):
        if fold(text) in fold(f"{title}\n{other}"):
            yield SearchResult(title, address, icon)


def _named(request: HttpRequest, pages: list[DimensionAdmin]) -> Iterator[tuple[str, str, str]]:
    """Yield the title, the URL and the icon of each page and action that the user may open."""
    for group in sidebar(request):
        yield from ((item["title"], item["link"], item["icon"]) for item in group["items"])
    for page in pages:
        words = {"elements": page.opts.verbose_name_plural}
        if page.has_add_permission(request):
            yield _("New %(name)s") % {"name": page.opts.verbose_name}, page.route("add"), "add"
            importing = f"{reverse('admin:bulkops_fileimport_add')}?dimension={page.dimension.name}"
            yield _("Import %(elements)s") % words, importing, "upload"
        if page.has_view_permission(request):
            yield _("Export %(elements)s") % words, page.route("export_file"), "download"
            yield from ((one.title_of(page), page.route(one.name), one.icon) for one in page.pages if one.title)
    for name, (guide, _file) in GUIDES.items():
        yield str(guide), reverse("help", args=[name]), "help"


def _views(request: HttpRequest, pages: list[DimensionAdmin], text: str) -> Iterator[SearchResult]:
    for page in pages:
        if keys := page.open_keys(request):
            views = SavedView.open_to(request.user, page.dimension.name, keys)
            for view in views.filter(contains_text("name", text))[:SHOWN_OTHERS]:
                place = str(page.opts.verbose_name_plural)
                yield SearchResult(view.name, view_address(page, view), "bookmark", _("saved view"), place)


def _repositories(request: HttpRequest, pages: list[DimensionAdmin], text: str) -> Iterator[SearchResult]:
    rows = Repository.objects.filter(pk__in=open_anywhere(request))
    for row in rows.filter(contains_text("db_id", text) | contains_text("name", text))[:SHOWN_OTHERS]:
        page = next(page for page in reversed(pages) if row.pk in page.open_keys(request))
        address = f"{page.route('changelist')}?{urlencode({REPOSITORY: row.pk})}"
        yield SearchResult(row.db_id, address, "database", row.name, _("repository"))


def _users(request: HttpRequest, text: str) -> Iterator[SearchResult]:
    if admin.site.get_model_admin(User).has_view_permission(request):
        for user in User.objects.filter(contains_text("username", text)).order_by("username")[:SHOWN_OTHERS]:
            address = reverse("admin:auth_user_change", args=[user.pk])
            yield SearchResult(user.username, address, "person", user.get_full_name(), _("user"))


def _elements(request: HttpRequest, page: DimensionAdmin, text: str) -> Iterator[SearchResult]:
    open_keys = page.open_keys(request)
    if not open_keys:
        return
    rows = page.model.within(open_keys).select_related("repository").only(*_LISTED)
    # The order of the index.
    for row in first_fitting(rows.order_by("repository_id", "element_id"), text, SHOWN_ELEMENTS):
        yield SearchResult(
            row.element_id,
            page.route("change", row.pk),
            page.icon,
            shown_description(row, row.repository, text.split()),
            f"{page.opts.verbose_name} · {row.repository.db_id}",
        )


def _more(request: HttpRequest, pages: list[DimensionAdmin], text: str) -> list[tuple[Any, str]]:
    """Return the names of the lists that the user may open, with the addresses of this search in them."""
    return [
        (page.opts.verbose_name_plural, f"{page.route('changelist')}?{urlencode({'q': text})}")
        for page in pages
        if page.open_keys(request)
    ]
