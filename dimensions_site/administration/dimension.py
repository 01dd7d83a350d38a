"""The administration of a dimension (contract G2)."""

from http import HTTPStatus
from typing import Any, ClassVar, cast

from django.http import HttpRequest
from django.shortcuts import redirect

from dimensions_site.administration.base.current import address_of_current
from dimensions_site.administration.base.past import AS_OF_PARAMETER, address_in_utc
from dimensions_site.administration.conditions.filtering import address_of_list
from dimensions_site.administration.elements.deleting import DELETE_PAGE, delete_elements
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
from dimensions_site.administration.table.changing import CHANGES_PAGE, change_elements, replace_text
from dimensions_site.administration.table.page import TABLE_BUTTON, TABLE_PAGE, edit_elements

# In seconds.
_YEAR = 365 * 24 * 60 * 60


class DimensionAdmin(ListedAdmin):
    """The list, the forms and all other pages of a `dimension`. It sets `dimension`, `listed` and `icon`."""

    # In the sidebar, from unfold's font.
    icon: ClassVar[str] = "list"
    further_filters: ClassVar[tuple[Any, ...]] = (QualityFilter,)
    pages = [
        *EDIT_PAGES,
        DELETE_PAGE,
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
            address = views.address_to_open() or address_in_utc(request, AS_OF_PARAMETER) or followed
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
