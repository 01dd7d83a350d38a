"""The admin action that deletes the selected elements with a worker, or proposes it (contract F2, G2, O4)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin import action
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bulkops.jobs import processing
from dimensions_site.administration.base.scope import ScopedAdmin, selected_repository, selection
from dimensions_site.administration.elements.references import ReferenceFinder, uses_of_many
from dimensions_site.administration.proposals import open_plan, propose, proposes
from dimensions_site.changes.requirements import ReasonField
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
    reason = ReasonField(repository, request.POST if "confirmed" in request.POST else None)
    if is_confirmed and not reason.error and is_proposed:
        return propose_deletion(admin, request, repository, ids, reason.reason)
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


def propose_deletion(
    admin: ScopedAdmin, request: HttpRequest, repository: Repository, ids: Sequence[str], reason: str | None
) -> HttpResponse:
    """Make the plan of the deletion and redirect to its page, or to the list with messages why there is none."""
    make = partial(propose, request, admin.dimension, repository, reason=reason, deletions=ids)
    return open_plan(request, make, back=admin.route("changelist"))
