"""The rows of a list of elements: a table on a desk, short cards on a phone (design/admin-lists.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import lookup_field
from django.utils.translation import gettext as _
from unfold.templatetags.unfold_list import result_headers

REPOSITORY = "repository_name"
# What a card shows besides the facts.
_ALWAYS = ("action_checkbox", "element_id", "described")
_FACTS = 2
# Beyond it the table scrolls sideways, and its header does not stay in sight.
FITTING_COLUMNS = 12


@dataclass(frozen=True)
class ListCell:
    """A value of a row. The cards show only values with a `label`, and the first three."""

    column: str
    value: Any
    address: str = ""
    label: str = ""


def headers(change_list: Any) -> list[dict[str, Any]]:
    """Return the headers of the columns as the theme makes them."""
    return list(result_headers(change_list))


def rows(change_list: Any) -> Iterator[list[ListCell]]:
    """Yield the cells of each row."""
    admin = change_list.model_admin
    columns = [(column, getattr(column, "__name__", column)) for column in change_list.list_display]
    labels = dict(_labels(change_list))
    preserved = {"preserved_filters": change_list.preserved_filters, "opts": change_list.opts}
    for element in change_list.result_list:
        address = add_preserved_filters(preserved, change_list.url_for_result(element))
        yield [
            ListCell(
                name,
                in_words(lookup_field(column, element, admin)[2]),
                address if name in change_list.list_display_links else "",
                labels.get(name, ""),
            )
            for column, name in columns
        ]


def _labels(change_list: Any) -> Iterator[tuple[str, str]]:
    """Yield the columns that the cards show as facts, each with its heading."""
    names = [getattr(column, "__name__", column) for column in change_list.list_display]
    facts = [name for name in names if name not in (*_ALWAYS, REPOSITORY)][:_FACTS]
    for name, header in zip(names, headers(change_list), strict=True):
        if name in facts or name == REPOSITORY:
            yield name, str(header["text"])


def in_words(value: Any) -> Any:
    """Return the value as people read it in a cell."""
    if value is None:
        return ""
    return {True: _("yes"), False: _("no")}[value] if isinstance(value, bool) else value
