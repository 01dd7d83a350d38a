"""What is wrong with a filter or a sort order, in words for the person who wrote it."""

from collections.abc import Sequence


class RsqlError(ValueError):
    """A filter or sort text that cannot be answered (contracts D1, D4 and D5).

    `message` is one or more full sentences, `code` is UPPER_SNAKE, `position` is the character where the fault
    was found, counted from 1, or None. `errors` are all the faults that were found, this one alone unless it is
    `SeveralErrors`.
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
    """A selector that names no field; `suggestions` are the wire paths that look like it, the nearest first."""

    def __init__(self, selector: str, suggestions: Sequence[str] = ()) -> None:
        hint = f" Did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(f"There is no field '{shortened(selector)}'.{hint}", code="UNKNOWN_FIELD")


class SeveralErrors(RsqlError):
    """More than one fault in one text, in the order in which they stand in it (contract B1: every failure)."""

    def __init__(self, errors: Sequence[RsqlError]) -> None:
        first = errors[0]
        message = " ".join(error.message for error in errors)
        super().__init__(message, code=first.code, position=first.position)
        self._errors = tuple(errors)

    @property
    def errors(self) -> tuple[RsqlError, ...]:
        return self._errors


def raise_all(errors: Sequence[RsqlError]) -> None:
    """Raise what was collected: nothing, the one error, or `SeveralErrors`."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SeveralErrors(errors)


def shortened(text: str, length: int = 60) -> str:
    """`text` for quoting in a message: its first `length` characters, with an ellipsis when there are more."""
    return text if len(text) <= length else f"{text[:length]}…"
