"""The sidebar of the administration: the pages that the user may open, in groups."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dimensions_site.elements.admin.element import ElementAdmin
from dimensions_site.repositories.admin.repositories import SuperuserAdmin

# Icons of the pages by app and model, from unfold's font; dimensions name their own.
_ICONS = {
    "changes.changeset": "manage_history",
    "bulkops.dataprocessing": "hourglass_top",
    "bulkops.fileimport": "upload_file",
    "bulkops.worker": "memory",
    "repositories.repository": "database",
    "repositories.accessgrant": "verified_user",
    "repositories.apikey": "key",
    "repositories.accesschange": "policy",
    "repositories.loginfailures": "lock_person",
    "tokens.application": "apps",
    "tokens.issuedtoken": "token",
    "auth.user": "person",
    "auth.group": "group",
}
_ACCESS = {"repositories", "tokens", "auth"}


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links for the user, without empty ones."""
    open_pages = [page for page in admin.site._registry.values() if page.has_module_permission(request)]
    elements = [page for page in open_pages if isinstance(page, ElementAdmin)]
    of_superusers = [page for page in open_pages if isinstance(page, SuperuserAdmin)]
    access = [page for page in of_superusers if page.opts.app_label in _ACCESS]
    work = [page for page in open_pages if page not in elements and page not in of_superusers]
    system = [page for page in of_superusers if page not in access]
    home = reverse("admin:index")
    groups = (
        ("", [_link(_("Start page"), home, "home", request.path == home)]),
        (_("Elements"), [make(request, page) for page in elements for make in (_list, _deleted)]),
        *(
            (title, [_list(request, page) for page in pages])
            for title, pages in ((_("Work"), work), (_("Access"), access), (_("System"), system))
        ),
    )
    return [{"title": title, "items": items, "separator": bool(title)} for title, items in groups if items]


def _list(request: HttpRequest, page: Any) -> dict[str, Any]:
    model = f"{page.opts.app_label}.{page.opts.model_name}"
    address = reverse(f"admin:{model.replace('.', '_')}_changelist")
    words = str(page.opts.verbose_name_plural)
    icon = page.icon if isinstance(page, ElementAdmin) else _ICONS.get(model, "list")
    is_there = request.path.startswith(address) and not request.path.startswith(f"{address}deleted/")
    return _link(words[:1].upper() + words[1:], address, icon, is_there)


def _deleted(request: HttpRequest, page: ElementAdmin) -> dict[str, Any]:
    address = page.route("deleted_elements")
    title = _("Deleted %(elements)s") % {"elements": page.opts.verbose_name_plural}
    return _link(title, address, "restore_from_trash", request.path.startswith(address))


def _link(title: str, address: str, icon: str, is_active: bool) -> dict[str, Any]:
    return {"title": title, "link": address, "icon": icon, "active": is_active}
