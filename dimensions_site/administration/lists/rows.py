"""The rows of a list of elements: a table on a desk, short cards on a phone (design/admin-lists.md)."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import lookup_field
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from unfold.templatetags.unfold_list import result_headers

from dimensions_site.administration.base.instants import EMPTY

REPOSITORY = "repository_name"
# What a card shows besides the facts.
_ALWAYS = ("action_checkbox", "element_id", "described")
_FACTS = 2
# Characters of HTML that fit in the column of the description.
_SHORT = 80
# Beyond it the table scrolls sideways, and its header does not stay in sight.
FITTING_COLUMNS = 12


@dataclass(frozen=True)
class ListCell:
    """A value of a row. The cards show only values with a `label`, and the first three."""

    column: str
    value: Any
    address: str = ""
    label: str = ""
    title: str = ""
    is_number: bool = False
    is_here: bool = False


def headers(change_list: Any) -> list[dict[str, Any]]:
    """Return the headers of the columns as the theme makes them."""
    found = list(result_headers(change_list))
    for column, header in zip(change_list.list_display, found, strict=True):
        if getattr(column, "is_number", False):
            header["class_attrib"] = f"{header.get('class_attrib', '')} number"
    return found


def rows(change_list: Any) -> Iterator[list[ListCell]]:
    """Yield the cells of each row."""
    admin = change_list.model_admin
    columns = [(column, getattr(column, "__name__", column)) for column in change_list.list_display]
    labels = dict(_labels(change_list))
    preserved = {"preserved_filters": change_list.preserved_filters, "opts": change_list.opts}
    for element in change_list.result_list:
        address = add_preserved_filters(preserved, change_list.url_for_result(element))
        cells = [(column, name, in_words(lookup_field(column, element, admin)[2])) for column, name in columns]
        yield [
            ListCell(
                name,
                value,
                address if name in change_list.list_display_links else "",
                labels.get(name, ""),
                # The row has one line for it.
                unescape(strip_tags(value))
                if name == "described" and len(value) > _SHORT and not change_list.query
                else "",
                getattr(column, "is_number", False),
                str(element.pk) == change_list.here,
            )
            for column, name, value in cells
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
    if value in (None, ""):
        return EMPTY
    return {True: _("yes"), False: _("no")}[value] if isinstance(value, bool) else value
