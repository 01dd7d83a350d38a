"""The administration of a dimension (contract G2)."""

from copy import copy
from http import HTTPStatus
from typing import Any, ClassVar, cast

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from dimensions_site.administration.base.current import address_of_current
from dimensions_site.administration.base.past import AS_OF, address_in_utc
from dimensions_site.administration.conditions.filtering import address_of_list
from dimensions_site.administration.elements.deleting import delete_elements, propose_deletion
from dimensions_site.administration.elements.editing import EDIT_PAGES
from dimensions_site.administration.elements.history import HISTORY_PAGES
from dimensions_site.administration.elements.references import REFERENCE_PAGES
from dimensions_site.administration.files.exporting import EXPORT_BUTTON, export_elements
from dimensions_site.administration.files.wizard import IMPORT_BUTTON
from dimensions_site.administration.lists.building import BUILDER_PAGES
from dimensions_site.administration.lists.change_list import COMFORTABLE, COMPACT, DENSITY
from dimensions_site.administration.lists.listing import STEP_PAGES, ListedAdmin
from dimensions_site.administration.lists.quality import QualityFilter
from dimensions_site.administration.lists.saved import VIEW_PAGES, ListViews
from dimensions_site.administration.plans.comparing import COMPARE_PAGES
from dimensions_site.administration.proposals import proposes
from dimensions_site.administration.table.changing import CHANGES_PAGE, change_elements, replace_text
from dimensions_site.administration.table.page import TABLE_BUTTON, TABLE_PAGE, edit_elements
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor, ApprovalRequired
from dimensions_site.changes.requirements import ReasonField
from dimensions_site.elements.writing.saving import delete

# In seconds.
_YEAR = 365 * 24 * 60 * 60


class DimensionAdmin(ListedAdmin):
    """The list, the forms and all other pages of a `dimension`. It sets `dimension`, `listed` and `icon`."""

    # In the sidebar, from unfold's font.
    icon: ClassVar[str] = "list"
    further_filters: ClassVar[tuple[Any, ...]] = (QualityFilter,)
    delete_confirmation_template = "admin/elements/delete.html"
    pages = [
        *EDIT_PAGES,
        *REFERENCE_PAGES,
        *HISTORY_PAGES,
        *COMPARE_PAGES,
        *VIEW_PAGES,
        *BUILDER_PAGES,
        *STEP_PAGES,
        TABLE_PAGE,
        CHANGES_PAGE,
    ]
    actions = [export_elements, change_elements, replace_text, edit_elements, delete_elements]
    # The buttons of the list, which the theme looks up by their names.
    actions_list = ["edit_table", "import_file", "export_file"]
    edit_table, import_file, export_file = TABLE_BUTTON, IMPORT_BUTTON, EXPORT_BUTTON

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Return the list, or redirect to a saved view if the URL has no parameters or only that of a view."""
        views = ListViews(self, request)
        if request.method == "GET":
            followed = address_of_current(request, self.open_keys(request))
            address = views.address_to_open() or address_in_utc(request, AS_OF) or followed
            if address is not None:
                return redirect(address)
            if (density := request.GET.get(DENSITY)) is not None:
                answer = redirect(f"{request.path}{address_of_list(request.GET, {DENSITY: ''})}")
                height = COMFORTABLE if density == COMFORTABLE else COMPACT
                answer.set_cookie(
                    DENSITY, height, max_age=_YEAR, samesite="Lax", secure=request.is_secure(), httponly=True
                )
                return answer
            views.point_out()
        response = super().changelist_view(request, cast(Any, {"views": views, **(extra_context or {})}))
        context = getattr(response, "context_data", None) or {}
        if "cl" in context and context["cl"].filter.timeout:
            response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        # These pass the search and the filters on, or the repository.
        pages = {"edit_table": "table", "export_file": "export_file", "import_file": "import_file"}
        pages = {self.route(name): page for name, page in pages.items()}
        for button in context.get("actions_list", ()):
            if button["path"] in pages:
                button["path"] = self.route_with_query(request, pages[button["path"]])
        return response

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return the elements only: what was generated from them needs no permission of its own."""
        return [str(element) for element in objs], {}, set(), []

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Log nothing: the history of the element has more than Django's log would."""
        return []

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask whether to delete the element or to propose it, and why; ask again if the reason is invalid."""
        element = self.get_object(request, unquote(object_id))
        is_proposed = proposes(request, element.repository, self.dimension.name, deletes=True)
        extra_context = {**(extra_context or {}), "proposes": is_proposed}
        if request.method == "POST":
            reason = ReasonField(element.repository, request.POST)
            extra_context["reason"] = reason
            if reason.error:
                request = copy(request)
                request.method, cast(Any, request).POST = "GET", QueryDict()
            elif is_proposed:
                return propose_deletion(self, request, element.repository, [element.element_id], reason.reason)
        try:
            return super().delete_view(request, object_id, extra_context)
        except ApprovalRequired as refusal:
            messages.error(request, str(refusal.detail))
            return redirect(self.route("change", object_id))

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
        """Return the question, with a field for the reason."""
        return super().render_delete_form(request, {"reason": ReasonField(context["object"].repository), **context})

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete the element in the transaction of the request, unless it is deleted already."""
        rows = self.model.of(obj.repository_id).filter(pk=obj.pk)
        if rows.select_for_update().exists():
            reason = ReasonField(obj.repository, request.POST).reason
            delete(rows, obj.repository, Actor(request.user.get_username(), Channel.ADMIN, reason=reason))
