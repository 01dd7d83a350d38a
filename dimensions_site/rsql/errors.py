"""Errors of filters and sort orders, with messages for their authors, and characters that neither must contain."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

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


_CONTROL = "\x01-\x08\x0a-\x1f\x7f-\x9f"
# NUL and surrogates: PostgreSQL cannot store them.
_NOT_STORABLE = "\x00\ud800-\udfff"
NOT_STORABLE = re.compile(f"[{_NOT_STORABLE}]")
# Control characters other than tab as well: they are allowed only in quotes.
REFUSED_UNQUOTED = re.compile(f"[{_CONTROL}{_NOT_STORABLE}]")
_NAMES = {**dict.fromkeys("\r\n", gettext_lazy("a line break")), "\0": gettext_lazy("the character NUL")}


def refuse(characters: re.Pattern[str], text: str, what: str) -> None:
    """Raise RsqlError if `text`, called `what` in the message, contains one of the `characters`."""
    match = characters.search(text)
    if match is not None:
        position = match.start() + 1
        message = _("The {what} has {character} at character {position}.").format(
            what=what, character=character_name(match[0]), position=position
        )
        raise RsqlError(message, code="SYNTAX", position=position)


def character_name(character: str) -> str:
    """Return the name of a control character for a message."""
    return str(_NAMES.get(character, _("the character U+{code}").format(code=f"{ord(character):04X}")))
