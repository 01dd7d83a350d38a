"""The menu: the pages that the user may open, and above them the switch to another repository (contract G2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from dimensions_site.administration.base.bounded import LONGEST_SEARCH
from dimensions_site.administration.base.current import current_repository, followed, open_anywhere
from dimensions_site.administration.base.naming import contains_text
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.repositories.login.sessions import own_address
from dimensions_site.repositories.models import Repository
from dimensions_site.saved_views.models import KnownRepository

# The groups of the sidebar: the models of their pages, each with an icon of unfold's font. Dimensions name their own.
_GROUPS = {
    _("Daily work"): {"bulkops.fileimport": "upload_file"},
    _("Changes"): {
        "bulkops.plan": "fact_check",
        "changes.changeset": "manage_history",
        "bulkops.dataprocessing": "hourglass_top",
    },
    _("Access"): {
        "auth.user": "person",
        "auth.group": "group",
        "repositories.accessgrant": "verified_user",
        "repositories.repository": "database",
        "repositories.apikey": "key",
        "tokens.application": "apps",
        "tokens.issuedtoken": "token",
        "repositories.accesschange": "policy",
        "repositories.loginfailures": "lock_person",
    },
    _("System"): {
        "bulkops.worker": "memory",
        "django_q.schedule": "schedule",
        "django_q.ormq": "low_priority",
        "django_q.success": "task_alt",
        "django_q.failure": "error",
    },
}
# How many repositories the page names; a search finds the others.
SHOWN = 50


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links for the user, without empty ones."""
    open_pages: dict[str, Any] = {
        page.opts.label_lower: page for page in admin.site._registry.values() if page.has_module_permission(request)
    }
    home = reverse("admin:index")
    elements = [page for page in open_pages.values() if isinstance(page, DimensionAdmin)]
    of_elements = [_list(request, page, page.icon) for page in elements]
    groups: dict[Any, list[dict[str, Any]]] = {"": [_link(_("Start page"), home, "home", request.path == home)]}
    for title, icons in _GROUPS.items():
        links = [_list(request, open_pages[name], icon) for name, icon in icons.items() if name in open_pages]
        groups[title], of_elements = [*of_elements, *links], []
    return [{"title": title, "items": items, "separator": bool(title)} for title, items in groups.items() if items]


def _list(request: HttpRequest, page: Any, icon: str) -> dict[str, Any]:
    address = page.route("changelist")
    query = followed(request, page.open_keys(request)) if hasattr(page, "open_keys") else ""
    is_there = request.path.startswith(address)
    title = capfirst(str(page.opts.verbose_name_plural))
    return _link(title, f"{address}?{query}" if query else address, icon, is_there)


def _link(title: Any, address: str, icon: str, is_active: bool) -> dict[str, Any]:
    return {"title": str(title), "link": address, "icon": icon, "active": is_active}


@dataclass(frozen=True)
class Switch:
    """What the menu shows of the current repository of a page."""

    request: HttpRequest

    @cached_property
    def current(self) -> Repository | None:
        """The repository that the page is about; None is all."""
        return current_repository(self.request)

    @property
    def has_choice(self) -> bool:
        """Whether there is more than one repository to choose."""
        return len(open_anywhere(self.request)) > 1

    @property
    def way_back(self) -> str:
        """The page to show with another repository: this one, or the list to which what it shows belongs."""
        found = self.request.resolver_match
        if found is not None and not found.kwargs:
            return self.request.path
        lists = (page.route("changelist") for page in admin.site._registry.values() if hasattr(page, "route"))
        return next((one for one in lists if self.request.path.startswith(one)), reverse("admin:index"))


def in_pages(request: HttpRequest) -> dict[str, Callable[[], Switch]]:
    """Return the context of templates: `switch`, which costs queries only where it is shown."""
    return {"switch": lambda: Switch(request)}


@require_http_methods(["GET", "POST"])
def choose_repository(request: HttpRequest) -> HttpResponse:
    """Show the user's repositories, the favourites first; `?q=` searches. Choose one, or make it a favourite.

    For htmx the page around it is left out. `next` is the page to show afterwards. Raises Http404 for a repository that
    is not open to the user.
    """
    back, user = _way_back(request), cast(User, request.user)
    if request.method == "POST":
        if "favourite" in request.POST:
            repository = _open(request, request.POST["favourite"])
            known, _is_new = KnownRepository.objects.get_or_create(user=user, repository=repository)
            KnownRepository.objects.filter(pk=known.pk).update(is_favourite=not known.is_favourite)
            return redirect(f"{reverse('switch')}?next={back}")
        key = request.POST.get("repository", "")
        KnownRepository.choose(user, _open(request, key) if key else None)
        return redirect(back)
    search = request.GET.get("q", "")[:LONGEST_SEARCH].replace("\0", "")
    favourite = KnownRepository.objects.filter(user=request.user.pk, is_favourite=True, repository=OuterRef("pk"))
    found = Repository.objects.filter(pk__in=open_anywhere(request)).annotate(is_favourite=Exists(favourite))
    for word in search.split():
        found = found.filter(contains_text("db_id", word) | contains_text("name", word))
    rows = list(found.order_by("-is_favourite", "db_id")[: SHOWN + 1])
    is_part = "HX-Request" in request.headers
    context = {
        **({} if is_part else admin.site.each_context(request)),
        "title": _("Choose a repository"),
        "rows": rows[:SHOWN],
        "has_more": len(rows) > SHOWN,
        "current": current_repository(request),
        "search": search,
        "back": back,
    }
    response = TemplateResponse(request, "admin/switch/choices.html" if is_part else "admin/switch/page.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _open(request: HttpRequest, key: str) -> Repository:
    """Return the repository with that key. Raises Http404 if there is none, or if it is not open to the user."""
    found = Repository.objects.filter(pk__in=[one for one in open_anywhere(request) if str(one) == key]).first()
    if found is None:
        raise Http404
    return found


def _way_back(request: HttpRequest) -> str:
    """Return the address of the page to show afterwards, which is one of this host."""
    wanted = (request.POST if request.method == "POST" else request.GET).get("next", "")
    return own_address(request, wanted).partition("?")[0]
