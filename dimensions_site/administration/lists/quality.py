"""What may be wrong with elements: missing texts, references to nothing, unused ones; each a filter of the list."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from django.conf import settings
from django.db import OperationalError
from django.db.models import Count, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.http import urlencode
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _
from unfold.contrib.filters.admin import DropdownFilter

from dimensions_site.administration.base.current import REPOSITORY
from dimensions_site.administration.base.filters import PlainChoiceForm
from dimensions_site.administration.base.paging import Counted
from dimensions_site.administration.conditions.filtering import FILTER, FILTER_ALL, VIEW
from dimensions_site.administration.lists.listing import ListedAdmin
from dimensions_site.db.read_limits import is_cancellation
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.filters import ElementFields
from dimensions_site.elements.reading.uses import with_absent_references, with_uses, without_uses
from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.parser import parse

Check: TypeAlias = Callable[[QuerySet[Any], Dimension], QuerySet[Any]]
_SAME = OuterRef("repository_id")


def _ended(rows: QuerySet[Any], dimension: Dimension) -> QuerySet[Any]:
    """Return the elements whose validity has ended and that others still refer to."""
    today, fields = datetime.now(UTC).date().isoformat(), ElementFields(dimension, "")
    ends = [path for path in dimension.wire.places if path.endswith("validity.endDate")]
    for path in ends:
        rows = rows.filter(compile_filter(parse(f"{path}=lt={today}"), fields))
    return with_uses(rows, dimension, _SAME) if ends else rows.none()


# The values of the filter: their words, and what selects the rows.
CHECKS: Mapping[str, tuple[Any, Check]] = {
    "absent": (
        gettext_lazy("refers to what does not exist"),
        lambda rows, dimension: with_absent_references(rows, dimension, _SAME),
    ),
    "unused": (gettext_lazy("nothing refers to it"), lambda rows, dimension: without_uses(rows, dimension, _SAME)),
    "ended": (gettext_lazy("no longer valid, but in use"), _ended),
}


class QualityFilter(DropdownFilter):
    """What may be wrong with an element, as it is now; of the past nothing is known."""

    title = gettext_lazy("quality")
    form_class = PlainChoiceForm
    parameter_name = "quality"

    def __init__(self, request: HttpRequest, params: Any, model: type[Any], model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self._dimension = model_admin.dimension

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, words) for name, (words, _select) in CHECKS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        check = CHECKS.get(self.value() or "")
        if check is None:
            return queryset
        return check[1](queryset, self._dimension) if queryset.model is self._dimension.model else queryset.none()


@dataclass(frozen=True)
class Finding:
    """How many elements have something to look at, None if counting took too long, and the list of exactly these."""

    words: str
    address: str
    number: int | None


def findings(admin: ListedAdmin, repositories: Collection[int], repository: int | None) -> Iterator[Finding]:
    """Yield what is found in the `repositories`, of which the addresses name one; a few queries."""
    rows = admin.model.within(repositories)
    fields = ElementFields(admin.dimension, "")
    missing = {code: f"descriptions.{code}=isnull=true" for code, _name in settings.LANGUAGES}
    conditions = {code: compile_filter(parse(text), fields) for code, text in missing.items()}
    counts = {code: Count("pk", filter=condition) for code, condition in conditions.items()}
    found = _in_time(lambda: rows.aggregate(total=Count("pk"), **counts)) or {}
    for code, text in missing.items():
        # A language that none has, nobody misses.
        if 0 < found.get(code, 0) < found["total"]:
            words = _("No description in %(language)s") % {"language": get_language_info(code)["name_translated"]}
            yield Finding(words, _address(admin, repository, {FILTER: text}), Counted(found[code]))
    for name, (label, select) in CHECKS.items():
        number = _in_time(lambda check: check(rows, admin.dimension).count(), select)
        # Where nothing refers to anything, such as currencies, that is no news.
        if number not in (0, found.get("total")):
            words = str(label)[:1].upper() + str(label)[1:]
            address = _address(admin, repository, {QualityFilter.parameter_name: name})
            yield Finding(words, address, None if number is None else Counted(number))


def _address(admin: ListedAdmin, repository: int | None, query: Mapping[str, str]) -> str:
    chosen = {} if repository is None else {REPOSITORY: str(repository)}
    return f"{admin.route('changelist')}?{urlencode({VIEW: FILTER_ALL, **chosen, **query})}"


def _in_time(count: Callable[..., Any], *arguments: Any) -> Any:
    """Return what is counted; None if the database needs too long."""
    try:
        return count(*arguments)
    except OperationalError as error:
        if is_cancellation(error):
            return None
        raise
