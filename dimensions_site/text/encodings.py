"""The names of encodings. Imports nothing of Django: the small process that reads files uses it, too."""

import codecs
from collections.abc import Iterable
from contextlib import suppress

# What a name of a form of an encoding that its text shows stands for.
_FORMS = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}


def known_encoding(name: str, known: Iterable[str]) -> str | None:
    """Return the one of the `known` names that means the same encoding as `name`, such as latin1; None if none does."""
    codec = _codec(name)
    return next((each for each in known if codec == _codec(each)), None)


def _codec(name: str) -> str:
    """Return the name of Python's codec; empty if there is none."""
    for spelled in (name, name.replace("-", "")):
        with suppress(LookupError, ValueError):
            codec = codecs.lookup(spelled).name
            return _FORMS.get(codec, codec)
    return ""
