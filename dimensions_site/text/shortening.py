"""Shorten texts for messages. Imports nothing of Django, because the web server uses it too."""

_QUOTED = 100


def shortened(text: str, length: int = _QUOTED) -> str:
    """Return `text`; if it is longer than `length` characters, its beginning and an ellipsis."""
    return text if len(text) <= length else f"{text[:length]}…"
