"""What decides, besides the JSON of an element, what is stored for it."""

from typing import Any, NamedTuple


class ElementContext(NamedTuple):
    """Passed down to every object and leaf of one element; the declaration itself is the same for all of them.

    `language` is the default of the repository. `id` is that of an element that a path or a key names (contract C14),
    `existing` the stored element that is replaced or changed, and `stored` its JSON, if known.
    """

    language: str = ""
    existing: Any = None
    id: str | None = None
    stored: str | None = None


# Of a value that belongs to no element.
NO_CONTEXT = ElementContext()
