"""Errors of filters and sort orders, with messages for their authors."""

from collections.abc import Sequence

# The largest number of characters of a filter that a message quotes.
QUOTED = 60


class RsqlError(ValueError):
    """An invalid filter or sort order (contracts D1, D4 and D5).

    `message` is one or more sentences, `code` is UPPER_SNAKE, `position` is the character of the error, counted from
    1, or None. `errors` are all errors found: this one, or those that it sums up (contract B1).
    """

    def __init__(
        self, message: str, *, code: str, position: int | None = None, errors: Sequence["RsqlError"] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.position = position
        self._errors = tuple(errors)

    @property
    def errors(self) -> tuple["RsqlError", ...]:
        return self._errors or (self,)


class UnknownField(RsqlError):
    """A selector of an unknown field; the `message` suggests others."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="UNKNOWN_FIELD")


def raise_all(errors: Sequence[RsqlError]) -> None:
    """Raise the collected errors, if any, as one error."""
    if len(errors) > 1:
        message = " ".join(error.message for error in errors)
        raise RsqlError(message, code=errors[0].code, position=errors[0].position, errors=errors)
    if errors:
        raise errors[0]
