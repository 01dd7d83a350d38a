"""From one element to the next in the order of the list from which it was opened."""

from copy import copy
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import unquote
from django.db.models import Window
from django.db.models.functions import Lag, Lead
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from dimensions_site.administration.base.page import Page
from dimensions_site.administration.base.scope import ScopedAdmin


def _step(admin: ScopedAdmin, request: HttpRequest, object_id: str, *, beside: type[Lag | Lead]) -> HttpResponse:
    """Redirect to the element that has this one `beside` it, in the list that the address remembers.

    The page says so if there is none. Two queries for the list, and one that sorts it.
    """
    element = admin.get_object(request, unquote(object_id))
    listed = copy(request)
    cast(Any, listed).GET = QueryDict(request.GET.get("_changelist_filters", ""))
    shown: Any = admin.get_changelist_instance(listed)
    order = shown.get_ordering(listed, shown.queryset)
    rows = shown.queryset.order_by().annotate(beside=Window(beside("pk"), order_by=order))
    found = rows.filter(beside=element.pk).values_list("pk", flat=True).first()
    if found is None:
        messages.info(request, _("The list has no other account or currency there."))
    preserved: dict[str, Any] = {"preserved_filters": admin.get_preserved_filters(request), "opts": admin.opts}
    return redirect(add_preserved_filters(preserved, admin.route("change", found or element.pk)))


STEP_PAGES = (
    Page("next", "<path:object_id>/next/", partial(_step, beside=Lag), "GET"),
    Page("previous", "<path:object_id>/previous/", partial(_step, beside=Lead), "GET"),
)
