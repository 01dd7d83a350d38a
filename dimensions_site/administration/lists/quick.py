"""The filters beside a list that are on, as chips among the conditions."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from dimensions_site.administration.base.filters import GrantedRepositoryFilter, WireChoicesFilter
from dimensions_site.administration.conditions.filtering import ALL, VIEW, with_parameters
from dimensions_site.text.formats import shortened

_SHOWN = 60


def quick_chips(filters: Iterable[Any], query: QueryDict) -> Iterator[tuple[str, str]]:
    """Yield, for each active filter among `filters`, its words and the query of the list without it."""
    for one in filters:
        values = {name: value for name in one.expected_parameters() if name and (value := query.get(name))}
        if values and not _is_current(one, values):
            words = {"field": one.title, "value": " – ".join(_in_words(one, value) for value in values.values())}
            without = with_parameters(query, dict.fromkeys(values, ""))
            # Without any parameter the list would open with the view by default.
            yield _("%(field)s: %(value)s") % words, f"?{without or f'{VIEW}={ALL}'}"


def _is_current(one: Any, values: dict[str, str]) -> bool:
    """Return whether the filter is that of the repository which the switch above the menu shows."""
    keys = {str(key) for key, _label in getattr(one, "lookup_choices", None) or ()}
    return isinstance(one, GrantedRepositoryFilter) and keys.issuperset(values.values())


def _in_words(one: Any, value: str) -> str:
    if isinstance(one, WireChoicesFilter):
        return one.in_words(value)
    labels = {str(key): str(label) for key, label in getattr(one, "lookup_choices", None) or ()}
    unknown = _("not open to you") if isinstance(one, GrantedRepositoryFilter) else shortened(value, _SHOWN)
    return labels.get(value, unknown)
