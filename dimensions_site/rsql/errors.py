"""Errors of filters and sort orders, with messages for their authors."""

from collections.abc import Sequence

# The largest number of characters of a filter that a message quotes.
QUOTED = 60


class RsqlError(ValueError):
    """An invalid filter or sort order (contracts D1, D4 and D5).

    `message` is one or more sentences, `code` is UPPER_SNAKE, `position` is the character of the error, counted from
    1, or None. `errors` are all errors found: this one, unless it is `SeveralErrors`.
    """

    def __init__(self, message: str, *, code: str, position: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.position = position

    @property
    def errors(self) -> tuple["RsqlError", ...]:
        return (self,)


class UnknownField(RsqlError):
    """A selector of an unknown field; the `message` suggests others."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="UNKNOWN_FIELD")


class SeveralErrors(RsqlError):
    """Several errors of one text, in order of position (contract B1: every failure)."""

    def __init__(self, errors: Sequence[RsqlError]) -> None:
        first = errors[0]
        message = " ".join(error.message for error in errors)
        super().__init__(message, code=first.code, position=first.position)
        self._errors = tuple(errors)

    @property
    def errors(self) -> tuple[RsqlError, ...]:
        return self._errors


def raise_all(errors: Sequence[RsqlError]) -> None:
    """Raise the collected errors: none, a single one, or `SeveralErrors`."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SeveralErrors(errors)
