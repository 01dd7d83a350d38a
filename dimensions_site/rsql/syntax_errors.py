"""What the parser could not read, in words instead of names of terminals."""

import re
from collections.abc import Collection

from dimensions_site.rsql.errors import RsqlError, shortened
from dimensions_site.rsql.operators import OPERATORS, listed

# What the parser waits for, told by the first of these terminals that it would take.
_EXPECTED = {
    "QUOTED": "a value is expected",
    "OPERATOR": f"an operator is expected ({listed(OPERATORS)})",
    "WORD": "a field name or '(' is expected",
}
_QUOTING = "A value that has a blank or one of \"'();,=!~<> in it needs quotes around it."

_WORD = re.compile(r"[^\"'();,=!~<> \t]+|.")


def syntax_error(text: str, start: int, terminals: Collection[str], *, in_group: bool) -> RsqlError:
    """The error for a filter `text` that cannot be read from index `start` on.

    `terminals` are those of the grammar that could stand there; `in_group` says that a parenthesis is open.
    """
    word = _WORD.match(text, start)
    if word is None:
        found = "the filter ends"
    elif word[0] in "\"'" and "QUOTED" in terminals:
        return _error("the quote that opens here is never closed.", start)
    else:
        found = f"there is '{shortened(word[0])}'"
    for terminal, expected in _EXPECTED.items():
        if terminal in terminals:
            return _error(f"{found} where {expected}.", start)
    if "SEMICOLON" not in terminals and "COMMA" in terminals:
        return _error(f"{found} where ',' or ')' is expected. {_QUOTING}", start)
    if word is not None and word[0].lower() in {"and", "or"}:
        needs = "which needs small letters, a blank on each side and a condition behind it"
        return _error(f"{found}, {needs}. {_QUOTING}", start)
    end = "')'" if in_group else "the end"
    return _error(f"{found} where ';' or ' and ', ',' or ' or ', or {end} is expected. {_QUOTING}", start)


def _error(what: str, start: int) -> RsqlError:
    position = start + 1
    message = f"The filter cannot be read at character {position}: {what}"
    return RsqlError(message, code="SYNTAX", position=position)
