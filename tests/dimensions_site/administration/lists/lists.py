"""What the tests of lists read from their pages."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.test import Client

from account.models import Account
from dimensions_site.administration.conditions.filtering import Chip
from tests.dimensions_site.administration.site.people import page

LIST = page(Account)
CONDITION = page(Account, "condition")
COLUMNS = page(Account, "columns")
VIEWS = page(Account, "views")
SAVE = page(Account, "save_view")


def ids(answer: Any) -> list[str]:
    return [element.element_id for element in answer.context["cl"].result_list]


def found(browser: Client, filter: str, **query: Any) -> list[str]:
    """The ids that the list shows with a filter."""
    return ids(browser.get(LIST, {"filter": filter, **query}))


def words(chips: list[Chip]) -> list[str]:
    """The chips as people read them."""
    return [" or ".join(part.words for part in chip.parts) for chip in chips]


def shown(browser: Client, filter: str) -> list[str]:
    """The chips above the list with a filter."""
    return words(browser.get(LIST, {"filter": filter}).context["cl"].filter.chips)


def built(browser: Client, filter: str = "", **form: Any) -> str:
    """The filter of the list after the form of a condition is sent."""
    query = urlencode({"filter": filter}) if filter else ""
    answer = browser.get(CONDITION, {"list": query, **form})
    assert answer.status_code == 302, answer.context["form"].errors
    return parse_qs(urlsplit(answer["Location"]).query)["filter"][0]
