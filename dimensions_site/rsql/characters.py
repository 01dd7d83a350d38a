"""Characters that no filter and no sort order may hold."""

import re

from dimensions_site.rsql.errors import RsqlError

# Control characters but the tab, and halves of surrogate pairs: no database text holds the latter.
_REFUSED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_NAMES = {"\n": "a line break", "\r": "a line break", "\0": "the character NUL"}


def refuse_control_characters(text: str, what: str) -> None:
    """Raise RsqlError when `text`, called `what` in the message, has a character that cannot be looked for."""
    match = _REFUSED.search(text)
    if match is not None:
        character = match[0]
        name = _NAMES.get(character, f"the character U+{ord(character):04X}")
        position = match.start() + 1
        raise RsqlError(f"The {what} has {name} at character {position}.", code="SYNTAX", position=position)
