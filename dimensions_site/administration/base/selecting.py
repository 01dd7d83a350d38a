"""What the actions over selected elements share (contract G2)."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from dimensions_site.administration.base.scope import ScopedAdmin
from dimensions_site.repositories.models import Repository, Role


def selected_repository(
    admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any], role: Role, *, gone: str, refused: str
) -> Repository | None:
    """Return the single repository of the selection if the user has the `role` there.

    Otherwise return None, with a message: `gone` if there are no elements, `refused` without the role.
    """
    keys = list(queryset.order_by().values_list("repository", flat=True).distinct()[:2])
    if not keys:
        messages.warning(request, gone)
        return None
    if len(keys) > 1:
        messages.error(
            request,
            _("What is selected belongs to more than one repository. Filter the list by one repository first."),
        )
        return None
    if not admin.open_keys(request, role).issuperset(keys):
        messages.error(request, refused)
        return None
    return Repository.objects.get(pk=keys[0])


def selection(request: HttpRequest) -> dict[str, Any]:
    """Return what the template needs for the hidden fields that select the same elements again."""
    return {
        "checkbox": ACTION_CHECKBOX_NAME,
        # For a selection across all pages, Django requires one ticked box.
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
    }
