"""The admin action that deletes the selected elements with a worker (contract F2, G2)."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from bulkops.jobs import processing
from dimensions_site.changes.reasons import ReasonField
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import Scope

# How many of the ids are listed before anything is deleted.
_SHOWN = 10


class DeletionActionMixin(ScopedAdmin):
    """Adds the action that deletes the selected elements, in one repository at a time. A concrete admin names it."""

    @admin.action(description=_("Delete the selected elements"), permissions=["delete"])
    def delete_elements(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Ask for confirmation and the reason; once confirmed, start the deletion and show its progress.

        Only the ids are read: the selection may have 100,000 elements. If it has changed since the question, ask again.
        """
        repository = self._repository(request, queryset)
        if repository is None:
            return None
        ids = list(queryset.order_by("element_id").values_list("element_id", flat=True))
        is_confirmed = request.POST.get("confirmed") == str(len(ids))
        reason = ReasonField(repository, request.POST if "confirmed" in request.POST else None)
        if is_confirmed and not reason.error:
            scope = Scope(repository, self.dimension.name, Role.MANAGER)
            started = processing.start(scope, cast(User, request.user), ids, reason.reason)
            return redirect("admin:bulkops_dataprocessing_change", started.pk)
        if "confirmed" in request.POST and not is_confirmed:
            messages.warning(request, _("The selection has changed in the meantime. Please look at it again."))
        return self.render_page(
            request,
            "admin/processings/confirm_deletion.html",
            title=_("Delete elements"),
            repository=repository,
            reason=reason,
            count=len(ids),
            shown=ids[:_SHOWN],
            more=max(len(ids) - _SHOWN, 0),
            checkbox=ACTION_CHECKBOX_NAME,
            # For a selection across all pages, Django requires one ticked box.
            selected=request.POST.getlist(ACTION_CHECKBOX_NAME),
            select_across=request.POST.get("select_across", "0"),
        )

    def _repository(self, request: HttpRequest, queryset: QuerySet[Any]) -> Repository | None:
        """Return the single repository of the selection if the user is its manager; otherwise None, with a message."""
        keys = list(queryset.order_by().values_list("repository", flat=True).distinct()[:2])
        if not keys:
            messages.warning(request, _("Nothing was deleted: the selected elements no longer exist."))
            return None
        if len(keys) > 1:
            messages.error(
                request,
                _("The selected elements belong to more than one repository. Filter the list by one repository first."),
            )
            return None
        if not self.open_keys(request, Role.MANAGER).issuperset(keys):
            messages.error(request, _("Nothing was deleted: this needs the role manager in the repository."))
            return None
        return Repository.objects.get(pk=keys[0])
