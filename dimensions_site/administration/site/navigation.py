"""The sidebar of the administration: the pages that the user may open, in groups."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dimensions_site.administration.base.bounded import SuperuserAdmin
from dimensions_site.administration.base.current import followed
from dimensions_site.administration.dimension import DimensionAdmin

# Icons of the pages by app and model, from unfold's font, in the order of the sidebar; dimensions name their own.
_ICONS = {
    "bulkops.fileimport": "upload_file",
    "bulkops.plan": "fact_check",
    "changes.changeset": "manage_history",
    "bulkops.dataprocessing": "hourglass_top",
    "auth.user": "person",
    "auth.group": "group",
    "repositories.accessgrant": "verified_user",
    "repositories.repository": "database",
    "repositories.apikey": "key",
    "tokens.application": "apps",
    "tokens.issuedtoken": "token",
    "repositories.accesschange": "policy",
    "repositories.loginfailures": "lock_person",
    "bulkops.worker": "memory",
    "django_q.schedule": "schedule",
    "django_q.ormq": "low_priority",
    "django_q.success": "task_alt",
    "django_q.failure": "error",
}
_ACCESS = {"repositories", "tokens", "auth"}
_ORDER = list(_ICONS)


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links for the user, without empty ones."""
    open_pages = [page for page in admin.site._registry.values() if page.has_module_permission(request)]
    open_pages.sort(key=_place)
    elements = [page for page in open_pages if isinstance(page, DimensionAdmin)]
    of_superusers = [page for page in open_pages if isinstance(page, SuperuserAdmin)]
    access = [page for page in of_superusers if page.opts.app_label in _ACCESS]
    work = [page for page in open_pages if page not in elements and page not in of_superusers]
    files = [page for page in work if _model(page) == "bulkops.fileimport"]
    changes = [page for page in work if page not in files]
    system = [page for page in of_superusers if page not in access]
    home = reverse("admin:index")
    groups = (
        ("", [_link(_("Start page"), home, "home", request.path == home)]),
        (
            _("Daily work"),
            [
                *(make(request, page) for page in elements for make in (_list, _deleted)),
                *(_list(request, page) for page in files),
            ],
        ),
        *(
            (title, [_list(request, page) for page in pages])
            for title, pages in ((_("Changes"), changes), (_("Access"), access), (_("System"), system))
        ),
    )
    return [{"title": title, "items": items, "separator": bool(title)} for title, items in groups if items]


def _model(page: Any) -> str:
    return f"{page.opts.app_label}.{page.opts.model_name}"


def _place(page: Any) -> int:
    """Return the place of the page in its group; dimensions keep the order of their apps."""
    model = _model(page)
    return _ORDER.index(model) if model in _ORDER else len(_ORDER)


def _list(request: HttpRequest, page: Any) -> dict[str, Any]:
    model = _model(page)
    address = reverse(f"admin:{model.replace('.', '_')}_changelist")
    words = str(page.opts.verbose_name_plural)
    icon = page.icon if isinstance(page, DimensionAdmin) else _ICONS.get(model, "list")
    is_there = request.path.startswith(address)
    query = followed(request, page.open_keys(request)) if hasattr(page, "open_keys") else ""
    return _link(words[:1].upper() + words[1:], f"{address}?{query}" if query else address, icon, is_there)


def _deleted(request: HttpRequest, page: DimensionAdmin) -> dict[str, Any]:
    address = page.route("deleted_elements")
    title = _("Deleted %(elements)s") % {"elements": page.opts.verbose_name_plural}
    # The menu of its list leads there, and Ctrl-K.
    return {**_link(title, address, "restore_from_trash", False), "is_hidden": True}


def _link(title: str, address: str, icon: str, is_active: bool) -> dict[str, Any]:
    return {"title": title, "link": address, "icon": icon, "active": is_active}
