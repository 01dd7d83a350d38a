"""Deletion jobs in the admin, for everybody with a grant there; and workers, for superusers (contract F, G2)."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from bulkops.admin.progress import progress_of
from bulkops.jobs import processing
from bulkops.models import DataProcessing, Worker
from dimensions_site.api.errors import Problem
from dimensions_site.repositories.admin.repositories import (
    BoundedListAdmin,
    LookOnlyMixin,
    SuperuserAdmin,
    open_keys,
    when,
)
from dimensions_site.repositories.dimensions import dimension_names
from dimensions_site.repositories.models import Role
from dimensions_site.text.formats import grouped, moment


def processings_open_to(request: HttpRequest) -> QuerySet[DataProcessing]:
    """Return the jobs in the repositories and dimensions that the user has access to (contract G2)."""
    open_ones = Q(pk__in=())
    for dimension in dimension_names():
        open_ones |= Q(dimension=dimension, repository__in=open_keys(request, dimension))
    return DataProcessing.objects.filter(open_ones)


@admin.register(DataProcessing)
class DataProcessingAdmin(LookOnlyMixin, BoundedListAdmin):
    """The list of deletion jobs, and a page with live progress for each."""

    list_display = ["asked_at", "repository", "dimension", "requester", "status", "processed_of", "deleted"]
    list_filter = ["status", "dimension", ("repository", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["repository"]
    search_fields = ["oid", "requester"]
    search_help_text = _("Search by number or requester")
    ordering = ["-pk"]
    show_full_result_count = False
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataProcessing]:
        return processings_open_to(request).defer("not_found")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return any(open_keys(request, dimension) for dimension in dimension_names())

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        return [
            path("<int:pk>/progress/", view(require_GET(never_cache(self.progress_view))), name=f"{name}_progress"),
            path("<int:pk>/abort/", view(require_POST(self.abort_view)), name=f"{name}_abort"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Return the page of the job, which polls `progress_view` while it runs."""
        found = self.get_object(request, object_id)
        if found is None:
            raise Http404
        context = {
            **self.admin_site.each_context(request),
            "title": _("Deletion in %(repository)s") % {"repository": found.repository.name},
            "opts": self.opts,
            "processing": found,
            "progress": progress_of(found),
            "may_abort": self._is_manager(request, found),
        }
        return TemplateResponse(request, "admin/processings/progress.html", context)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of the deletion shows its whole history."""
        return self.change_view(request, object_id)

    def progress_view(self, request: HttpRequest, pk: int) -> JsonResponse:
        """Return the job's progress for the page."""
        return JsonResponse(progress_of(self._found(request, pk)).as_json())

    def abort_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Stop the job before its next chunk (contract F5): for managers."""
        found = self._found(request, pk)
        if not self._is_manager(request, found):
            raise PermissionDenied
        try:
            processing.abort(found)
        except Problem as problem:
            messages.error(request, str(problem.detail))
        else:
            messages.success(request, _("The deletion was stopped. What is deleted stays deleted."))
        return redirect(reverse("admin:bulkops_dataprocessing_change", args=[found.pk]))

    @admin.display(description=_("asked for at (UTC)"), ordering="request_date_time")
    def asked_at(self, obj: DataProcessing) -> str:
        return moment(obj.request_date_time)

    @admin.display(description=_("processed"))
    def processed_of(self, obj: DataProcessing) -> str:
        return _("%(processed)s of %(requested)s") % {
            "processed": grouped(obj.processed),
            "requested": grouped(obj.requested),
        }

    def _found(self, request: HttpRequest, pk: int) -> DataProcessing:
        found = processings_open_to(request).select_related("repository").filter(pk=pk).first()
        if found is None:
            raise Http404
        return found

    def _is_manager(self, request: HttpRequest, found: DataProcessing) -> bool:
        return found.repository_id in open_keys(request, found.dimension, Role.MANAGER)


@admin.register(Worker)
class WorkerAdmin(LookOnlyMixin, SuperuserAdmin):
    list_display = ["name", when("started_at", _("started (UTC)")), when("beat_at", _("last sign of life (UTC)"))]
    ordering = ["-beat_at"]
    actions = None
