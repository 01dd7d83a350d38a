"""The limits of one filter: far more than people write, and far less than a database rejects (contract D4)."""

from typing import cast

from django.utils.translation import gettext as _
from lark import Token

from dimensions_site.rsql.errors import RsqlError
from dimensions_site.text.formats import grouped_number

MAX_LENGTH = 4096
MAX_CONDITIONS = 50
MAX_DEPTH = 20
MAX_VALUES = 100


def check_length(text: str) -> None:
    """Raise RsqlError TOO_LONG for a filter `text` beyond the limit."""
    if len(text) > MAX_LENGTH:
        message = _("{name} is {length} characters long; the limit is {maximum}.").format(
            name=_("filter"), length=grouped_number(len(text)), maximum=grouped_number(MAX_LENGTH)
        )
        raise RsqlError(message, code="TOO_LONG", position=MAX_LENGTH + 1)


class TokenCounter:
    """Counts the tokens of a filter during parsing, so that parsing stops at the first one beyond a limit."""

    def __init__(self) -> None:
        self.conditions = 0
        self.values = 0
        self.depth = 0
        self.in_list = False
        self._after_operator = False

    def count(self, token: Token) -> None:
        """Count the next token; raises RsqlError TOO_MANY or TOO_DEEP beyond a limit."""
        if token.type == "OPERATOR":
            self.conditions += 1
            self.values = 0
        elif token.type == "LPAR":
            self.in_list = self._after_operator
            self.depth += not self.in_list
        elif token.type == "RPAR":
            self.depth -= not self.in_list
            self.in_list = False
        elif self.in_list and token.type in ("WORD", "QUOTED"):
            self.values += 1
        self._after_operator = token.type == "OPERATOR"
        self._check(token)

    def _check(self, token: Token) -> None:
        position = cast(int, token.start_pos) + 1
        if self.depth > MAX_DEPTH:
            message = _("filter nests parentheses more than {maximum} deep at character {position}.")
            raise RsqlError(message.format(maximum=MAX_DEPTH, position=position), code="TOO_DEEP", position=position)
        for number, limit, what in (
            (self.conditions, MAX_CONDITIONS, _("conditions")),
            (self.values, MAX_VALUES, _("values in one list")),
        ):
            if number > limit:
                message = _("filter has more than {maximum} {what}; the limit is reached at character {position}.")
                text = message.format(maximum=limit, what=what, position=position)
                raise RsqlError(text, code="TOO_MANY", position=position)
