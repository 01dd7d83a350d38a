"""What Ctrl-K finds: pages of the sidebar, and elements within the user's grants (G2; design/admin-lists.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from dimensions_site.administration.base.described import shown_description
from dimensions_site.administration.base.finding import first_fitting
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.administration.site.navigation import sidebar
from dimensions_site.rsql.apps import fold

# Of each dimension.
SHOWN_ELEMENTS = 10
_LISTED = ("element_id", "descriptions", "repository__db_id", "repository__default_language")


@dataclass(frozen=True)
class SearchResult:
    """A page: its title, the description and the place of an element, and a link."""

    title: str
    address: str
    icon: str
    description: str = ""
    place: str = ""


def command_search() -> URLPattern:
    """Return the URL of the search, which precedes the theme's.

    The theme's keeps what it found for five minutes, when grants may have ended and the language may be another.
    """
    return path("search/", admin.site.admin_view(require_GET(search)))


def search(request: HttpRequest) -> HttpResponse:
    """Return the results for `?s=`, as a part of the page."""
    text = request.GET.get("s", "").strip()
    if not text:
        return HttpResponse()
    pages = [page for page in admin.site._registry.values() if isinstance(page, DimensionAdmin)]
    found = [*_pages(request, text), *(one for page in pages for one in _elements(request, page, text))]
    return render(request, "admin/shell/command_results.html", {"found": found, "more": _more(request, pages, text)})


def _pages(request: HttpRequest, text: str) -> Iterator[SearchResult]:
    for group in sidebar(request):
        for item in group["items"]:
            if fold(text) in fold(item["title"]):
                yield SearchResult(item["title"], item["link"], item["icon"])


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
