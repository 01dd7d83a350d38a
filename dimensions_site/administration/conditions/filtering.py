"""The filter of a list, which the address carries as RSQL, and people read as chips.

Chips are conditions that all hold, some of them groups of which one must hold. The parser of REST reads the text, so
there is one grammar. What chips cannot express stays a part with its text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.contrib.admin.views.main import ERROR_FLAG, PAGE_VAR, SEARCH_VAR
from django.db import OperationalError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from dimensions_site.administration.base.current import chosen_repository
from dimensions_site.administration.base.paging import COUNT, ROW
from dimensions_site.administration.conditions.operations import FilterCondition, condition_of
from dimensions_site.db.read_limits import CancelReason, is_cancellation, reads_ended_by
from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.filters import ElementFields
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.parser import And, Node, Or, parse, write
from dimensions_site.text.formats import shortened

# The parameters of the list.
FILTER = "filter"
COLUMNS = "columns"
VIEW = "view"
# The value of the parameter `view` of a list that shows all.
FILTER_ALL = "all"
# The parameter of the pages about a list that carries the query of the list.
LIST = "list"
# How many characters of a part a chip shows that is no condition.
_SHOWN = 200


@dataclass(frozen=True)
class Rest:
    """A part of the filter that is shown as its text."""

    node: Node | None
    text: str

    @property
    def words(self) -> str:
        return shortened(self.text, _SHOWN)


FilterPart = FilterCondition | Rest


@dataclass(frozen=True)
class Chip:
    """One or more parts, of which one must hold. All chips of a filter must."""

    parts: tuple[FilterPart, ...]

    @property
    def is_group(self) -> bool:
        return len(self.parts) > 1


def chips_of(node: Node, wire: Wire) -> list[Chip]:
    """Return the chips of a filter."""
    parts = [node] if isinstance(node, Or) else _conditions(node, And, wire)
    return [_chip(part, wire) for part in parts]


def text_of(chips: Sequence[Chip]) -> str:
    """Return the filter of the `chips`; empty without any. Raises ValueError for a day that is invalid."""
    nodes: list[Node] = []
    for chip in chips:
        alternatives = tuple(part.node for part in chip.parts if part.node is not None)
        if alternatives:
            nodes += _flat(alternatives[0] if len(alternatives) == 1 else Or(alternatives), And)
    if not nodes:
        return ""
    return write(nodes[0] if len(nodes) == 1 else And(tuple(nodes)))


def _flat(node: Node, connector: type[And | Or]) -> Iterator[Node]:
    if not isinstance(node, connector):
        yield node
        return
    for child in node.children:
        yield from _flat(child, connector)


def _chip(part: Node | FilterCondition, wire: Wire) -> Chip:
    if isinstance(part, Or):
        alternatives = _conditions(part, Or, wire)
        if not any(isinstance(one, And) for one in alternatives):
            return Chip(tuple(map(_part, alternatives)))
    return Chip((_part(part),))


def _part(part: Node | FilterCondition) -> FilterPart:
    return part if isinstance(part, FilterCondition) else Rest(part, write(part))


def _conditions(node: Node, connector: type[And | Or], wire: Wire) -> list[Node | FilterCondition]:
    """Return the conditions that the `connector` joins, two that form one operation as one, and the other nodes."""
    found: list[Node | FilterCondition] = []
    nodes = list(_flat(node, connector))
    while nodes:
        together = condition_of(connector(tuple(nodes[:2])), wire) if len(nodes) > 1 else None
        found.append(together or condition_of(nodes[0], wire) or nodes[0])
        del nodes[: 1 if together is None else 2]
    return found


def with_parameters(query: QueryDict, changes: Mapping[str, str]) -> str:
    """Return the query of a list after `changes`, on its first page; an empty value removes a parameter."""
    kept = [
        (name, value)
        for name, values in query.lists()
        if name not in changes and name not in (PAGE_VAR, ERROR_FLAG, COUNT, ROW)
        for value in values
    ]
    return urlencode([*kept, *((name, value) for name, value in changes.items() if value)])


def address_of_list(query: QueryDict, changes: Mapping[str, str]) -> str:
    """Return the relative address of a list after these changes of its query."""
    # Without any parameter the list would open with the view by default.
    return f"?{with_parameters(query, changes) or f'{VIEW}={FILTER_ALL}'}"


def took_too_long(error: OperationalError) -> bool:
    """Return whether the database was stopped because a search needs more time than it may take."""
    return is_cancellation(error) and reads_ended_by() in (CancelReason.TIME, CancelReason.CROWD)


class ListFilter:
    """The filter of a list: its `text`, its `chips`, its `condition`, and the `errors` that say why it has none."""

    def __init__(self, query: QueryDict, dimension: Dimension, repositories: Sequence[Repository]) -> None:
        self.query = query
        self.text = query.get(FILTER, "")
        self.errors: list[str] = []
        self.chips: list[Chip] = []
        self.condition: Q | None = None
        # The sentence that replaces the list when the database needs too long.
        self.timeout = ""
        if not self.text.strip():
            self.text = ""
            return
        try:
            tree = parse(self.text)
        except RsqlError as error:
            self._refuse(error)
            self.chips = [Chip((Rest(None, self.text),))]
            return
        self.chips = chips_of(tree, dimension.wire)
        try:
            self.condition = compile_filter(tree, fields_of(dimension, query, repositories))
        except RsqlError as error:
            self._refuse(error)

    def _refuse(self, error: RsqlError) -> None:
        self.errors += [each.message for each in error.errors]

    def apply(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the `rows` that the filter selects. An invalid filter selects none, as all would surprise."""
        if self.errors:
            return rows.none()
        return rows if self.condition is None else rows.filter(self.condition)

    def evaluated(self, load: Callable[[], Any]) -> bool:
        """Load the rows, and return whether the database did it in time. Raises any other error again.

        A list without a filter is answered by the page for all searches that take too long.
        """
        try:
            load()
        except OperationalError as error:
            if not self.text or not took_too_long(error):
                raise
            self.timeout = _(
                "The search took too long and was stopped. Nothing is shown. Add a condition that finds less, or "
                "choose one repository, and try again."
            )
            return False
        return True

    @cached_property
    def shown(self) -> list[dict[str, Any]]:
        """The chips with the addresses that change them."""
        return [
            {
                "parts": [
                    {
                        "words": part.words,
                        "can_change": not isinstance(part, Rest),
                        "at": f"{number}.{position}",
                        "without": self._without(number, position),
                    }
                    for position, part in enumerate(chip.parts)
                ],
                "is_group": chip.is_group,
                "takes_more": not any(isinstance(part, Rest) for part in chip.parts),
                "number": number,
            }
            for number, chip in enumerate(self.chips)
        ]

    @property
    def list_query(self) -> str:
        """The query of the list, for pages about it."""
        return with_parameters(self.query, {})

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The other parameters of the list, which the form with the text sends again."""
        return parse_qsl(with_parameters(self.query, {FILTER: ""}), keep_blank_values=True)

    @property
    def beside_search(self) -> list[tuple[str, str]]:
        """The other parameters of the list, which a search sends again."""
        return parse_qsl(with_parameters(self.query, {SEARCH_VAR: ""}), keep_blank_values=True)

    @property
    def without_all(self) -> str:
        return address_of_list(self.query, {FILTER: ""})

    def _without(self, number: int, position: int) -> str:
        chip = self.chips[number]
        rest = Chip(chip.parts[:position] + chip.parts[position + 1 :])
        chips = [*self.chips[:number], rest, *self.chips[number + 1 :]]
        return address_of_list(self.query, {FILTER: text_of(chips)})


class ListFields(ElementFields):
    """The fields of a list that shows repositories with different default languages."""

    def resolve(self, selector: str) -> Any:
        """Return the field. Raises `RsqlError` for the description in the default language."""
        if self.wire.canonical_path(selector) != "description":
            return super().resolve(selector)
        message = _(
            "The list shows repositories with different default languages. Choose one repository, or name the language."
        )
        raise RsqlError(message, code="INVALID_VALUE")


def fields_of(dimension: Dimension, query: QueryDict, repositories: Sequence[Repository]) -> ElementFields:
    """Return the fields for the filter of a list."""
    repository = chosen_repository(query, repositories)
    languages = {one.default_language for one in (repositories if repository is None else [repository])}
    return ElementFields(dimension, languages.pop()) if len(languages) == 1 else ListFields(dimension, "")


def list_query(request: HttpRequest) -> QueryDict:
    """Return the query of the list that a page is about."""
    return QueryDict(request.POST.get(LIST) or request.GET.get(LIST, ""))
