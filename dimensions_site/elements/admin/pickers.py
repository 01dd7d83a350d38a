"""Finding elements while a user types the id of a reference."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path

from dimensions_site.elements.admin.controls import PickerControl
from dimensions_site.elements.admin.forms import ElementForm
from dimensions_site.elements.admin.listing import containing
from dimensions_site.elements.admin.scope import ScopedAdmin
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.repositories.admin.repositories import LONGEST_SEARCH
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.expressions import MapEntry

SUGGESTIONS = 20
# Sorts after everything that begins with the same letters.
_LAST_CHARACTER = "\U0010ffff"


class PickedAdmin(ScopedAdmin):
    """Finds elements of this dimension for the fields that refer to them."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.pick_view)
        return [path("pick/<int:repository_id>/", view, name=self.url_name("pick")), *super().get_urls()]

    def pick_view(self, request: HttpRequest, repository_id: int) -> JsonResponse:
        """Return `{"results": [{"id", "description"}], "more"}`: up to 20 elements of the repository that match `?q=`.

        Those whose id begins with it come first. 404 for a repository without a grant of the user (contract G2).
        """
        repository = get_object_or_404(self.repositories(request), pk=repository_id)
        elements = self.model.of(repository).order_by("element_id")
        found = list(islice(_fitting(elements, request.GET.get("q", "").strip(), repository), SUGGESTIONS + 1))
        results = [{"id": id, "description": description or ""} for id, description in found[:SUGGESTIONS]]
        return JsonResponse({"results": results, "more": len(found) > SUGGESTIONS})

    def picker_address(self, request: HttpRequest, dimension: str, repository: Repository) -> str | None:
        """Return the URL that finds elements of `dimension`; None if the user may not see them in `repository`."""
        other = self._open_admin(request, dimension, repository)
        return None if other is None else other.route("pick", repository.pk)

    def mark_unknown(self, request: HttpRequest, repository: Repository, form: ElementForm) -> list[PickerControl]:
        """Mark the fields of the form with an id that no element has; return them.

        Such an id is saved nevertheless (contract E2, LOOSE). Dimensions that the user may not see are left out. One
        query for each dimension that is referred to.
        """
        by_dimension: dict[str, list[PickerControl]] = {}
        for control in form.controls.values():
            if isinstance(control, PickerControl) and control.typed and not control.is_fixed:
                by_dimension.setdefault(str(control.leaf.refers_to), []).append(control)
        for dimension, controls in by_dimension.items():
            other = self._open_admin(request, dimension, repository)
            if other is not None:
                ids = {control.typed for control in controls}
                known = set(with_ids(other.model, repository, ids).values_list("element_id", flat=True))
                for control in controls:
                    control.is_unknown = control.typed not in known
        return [control for controls in by_dimension.values() for control in controls if control.is_unknown]

    def _open_admin(self, request: HttpRequest, dimension: str, repository: Repository) -> "PickedAdmin | None":
        """Return the admin of the dimension, if the user may see it in the repository."""
        other = cast(PickedAdmin, self.admin_site.get_model_admin(dimension_named(dimension).model))
        return other if repository.pk in other.open_keys(request) else None


def _fitting(elements: QuerySet[Any], text: str, repository: Repository) -> Iterator[tuple[str, str | None]]:
    """Yield ids and descriptions; each of the two queries stops when there are enough, and the first uses the index
    alone.
    """
    if len(text) > LONGEST_SEARCH:
        return
    rows = elements.annotate(described=MapEntry("descriptions", repository.default_language))
    begins = {"element_id__gte": text, "element_id__lt": text + _LAST_CHARACTER}
    yield from rows.filter(**begins).values_list("element_id", "described")[: SUGGESTIONS + 1]
    if text:
        rest = rows.filter(containing(text)).exclude(**begins)
        yield from rest.values_list("element_id", "described")[: SUGGESTIONS + 1]
