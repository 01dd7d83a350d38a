"""How much one filter may ask: far more than people write, and far less than a database refuses (contract D4)."""

from typing import cast

from lark import Token

from dimensions_site.rsql.errors import RsqlError

MAX_LENGTH = 4096
MAX_CONDITIONS = 50
MAX_DEPTH = 20
MAX_VALUES = 100


def check_length(text: str) -> None:
    """Raise RsqlError TOO_LONG when the filter `text` is too long to be read at all."""
    if len(text) > MAX_LENGTH:
        message = f"The filter has {len(text)} characters; at most {MAX_LENGTH} are allowed."
        raise RsqlError(message, code="TOO_LONG", position=MAX_LENGTH + 1)


class TokenCounter:
    """Watches the tokens of one filter while it is read, so that reading stops at the first one too many."""

    def __init__(self) -> None:
        self.conditions = 0
        self.values = 0
        self.depth = 0
        self.in_list = False
        self._after_operator = False

    def count(self, token: Token) -> None:
        """Take note of the next token; raises RsqlError TOO_MANY or TOO_DEEP when a limit is passed."""
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
            message = f"Parentheses are nested more than {MAX_DEPTH} deep at character {position}."
            raise RsqlError(message, code="TOO_DEEP", position=position)
        for number, limit, what in (
            (self.conditions, MAX_CONDITIONS, "conditions in the filter"),
            (self.values, MAX_VALUES, "values in the list"),
        ):
            if number > limit:
                message = f"There are more than {limit} {what} at character {position}."
                raise RsqlError(message, code="TOO_MANY", position=position)
