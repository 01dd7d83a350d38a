"""Deleting one element, or those that are selected with a worker, or proposing it (contract F2, G2, O4)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin import action
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.jobs import processing
from dimensions_site.administration.base.bounded import Page
from dimensions_site.administration.base.scope import ScopedAdmin, selected_repository, selection
from dimensions_site.administration.elements.editing import shown_again
from dimensions_site.administration.elements.references import ReferenceFinder, uses_of_many
from dimensions_site.administration.proposals import open_plan, propose, proposes
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor, ApprovalRequired
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.elements.writing.saving import delete
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import Scope

# How many elements are listed before anything is deleted.
_SHOWN = 10
# For how many of them the question asks what refers to them.
_ASKED = 1_000


@action(description=gettext_lazy("Delete"), permissions=["delete"])
def delete_elements(admin: ScopedAdmin, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Ask for confirmation and the reason; once confirmed, start the deletion and show its progress, or propose it.

    Little more than the ids is read: the selection may have 100,000 elements. If it has changed since the question,
    ask again.
    """
    repository = selected_repository(admin, request, queryset)
    if repository is None:
        return None
    is_proposed = proposes(request, repository, admin.dimension.name, deletes=True)
    ids = list(queryset.order_by("element_id").values_list("element_id", flat=True))
    is_confirmed = request.POST.get("confirmed") == str(len(ids))
    typed = request.POST.get(ReasonField.name, "")
    reason = ReasonField(repository, request.POST if "confirmed" in request.POST else None, typed)
    if is_confirmed and not reason.error and is_proposed:
        return _propose(admin, request, repository, ids, reason.reason)
    if is_confirmed and not reason.error:
        scope = Scope(repository, admin.dimension.name, Role.MANAGER)
        keep_used = "keep_used" in request.POST
        started = processing.start(scope, cast(User, request.user), ids, reason.reason, keep_used=keep_used)
        return redirect("admin:bulkops_dataprocessing_change", started.pk)
    if "confirmed" in request.POST and not is_confirmed:
        messages.warning(request, _("The selection has changed in the meantime. Please look at it again."))
    finder = ReferenceFinder(request, repository)
    used, used_count, references = uses_of_many(ids[:_ASKED], admin.dimension, finder, _SHOWN)
    named = [(admin.dimension.name, id) for id in ids[:_SHOWN]]
    texts = finder.descriptions(named)
    return admin.render_page(
        request,
        "admin/deletions/confirm_deletion.html",
        title=_("Delete %(elements)s") % {"elements": admin.opts.verbose_name_plural},
        repository=repository,
        reason=reason,
        proposes=is_proposed,
        count=len(ids),
        shown=[(name[1], texts[name] or "") for name in named],
        more=max(len(ids) - _SHOWN, 0),
        used=used,
        used_count=used_count,
        references=references,
        keep_used="keep_used" in request.POST,
        **selection(request),
    )


def delete_element(admin: ScopedAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    """Ask whether to delete the element or to propose it, and why; ask again if the reason is invalid."""
    element = admin.get_object(request, unquote(object_id))
    if not admin.has_delete_permission(request, element):
        raise PermissionDenied
    repository, is_sent = element.repository, request.method == "POST"
    is_proposed = proposes(request, repository, admin.dimension.name, deletes=True)
    reason = ReasonField(repository, request.POST if is_sent else None, request.POST.get(ReasonField.name, ""))
    if not is_sent or reason.error:
        return admin.render_page(
            request,
            "admin/elements/delete.html",
            title=_("Delete"),
            object=element,
            reason=reason,
            proposes=is_proposed,
            preserved_filters=admin.get_preserved_filters(request),
        )
    if is_proposed:
        return _propose(admin, request, repository, [element.element_id], reason.reason)
    rows = admin.model.of(repository).filter(pk=element.pk)
    try:
        with transaction.atomic():
            if rows.select_for_update().exists():
                delete(rows, repository, Actor(request.user.get_username(), Channel.ADMIN, reason=reason.reason))
    except ApprovalRequired as refusal:
        messages.error(request, str(refusal.detail))
        return redirect(admin.route("change", object_id))
    return admin.response_delete(request, str(element), element.pk)


DELETE_PAGE = Page("delete", "<path:object_id>/delete/", delete_element, again=shown_again(delete_element))


def _propose(
    admin: ScopedAdmin, request: HttpRequest, repository: Repository, ids: Sequence[str], reason: str | None
) -> HttpResponse:
    """Make the plan of the deletion and redirect to its page, or to the list with messages why there is none."""
    make = partial(propose, request, admin.dimension, repository, reason=reason, deletions=ids)
    return open_plan(request, make, back=admin.route("changelist"))
