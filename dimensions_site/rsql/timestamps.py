"""Points in time as clients write them."""

import re
from datetime import UTC, datetime

# The forms of ISO 8601 that contract C11 names; `datetime.fromisoformat` reads more, and others in each Python.
_HOUR = "(?:[01][0-9]|2[0-3])"
_TIMESTAMP = re.compile(
    "[0-9]{4}-[0-9]{2}-[0-9]{2}"
    f"(?:[T ]{_HOUR}:[0-9]{{2}}(?::[0-9]{{2}}(?:[.,][0-9]+)?)?"
    f"(?:Z|[+-]{_HOUR}(?::?[0-5][0-9])?)?)?"
)


def parse_timestamp(text: str) -> datetime:
    """The instant that ISO 8601 `text` names, in UTC, cut to whole milliseconds (contract C11).

    The offset is `Z`, `+HH:MM`, `+HHMM` or `+HH`; a date alone is its first moment, and without an offset the
    time is UTC. Raises ValueError when the text has another form or names no instant from year 1 to 9999.
    """
    if _TIMESTAMP.fullmatch(text) is None:
        raise ValueError("The text is not a date or time as ISO 8601 writes it.")
    local = datetime.fromisoformat(text)
    try:
        instant = local.replace(tzinfo=local.tzinfo or UTC).astimezone(UTC)
    except OverflowError as error:
        raise ValueError("The year in UTC is not from 1 to 9999.") from error
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
