"""Case folding, an alphabetical order, and characters that a filter or a sort order must not contain."""

import re
import unicodedata

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dimensions_site.rsql.errors import RsqlError


def fold(text: str) -> str:
    """Return a form that is equal for texts which differ only in case (contract D2).

    Both steps are needed: the Kelvin sign equals `k` only in lower case, the two small sigmas only in upper case.
    Python and ICU agree on these mappings for all code points that both know; they do not on `str.casefold`.
    """
    return text.lower().upper()


def alphabetical(text: str) -> str:
    """Return a key that sorts texts without regard to case and accents."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    return "".join(letter for letter in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(letter))


_CONTROL = "\x01-\x08\x0a-\x1f\x7f-\x9f"
# NUL and surrogates: PostgreSQL cannot store them.
_NOT_STORABLE = "\x00\ud800-\udfff"
NOT_STORABLE = re.compile(f"[{_NOT_STORABLE}]")
# Control characters other than tab as well: they are allowed only in quotes.
REFUSED_UNQUOTED = re.compile(f"[{_CONTROL}{_NOT_STORABLE}]")
_NAMES = {
    **dict.fromkeys("\r\n", gettext_lazy("a line break")),
    "\0": gettext_lazy("the character NUL"),
}


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
