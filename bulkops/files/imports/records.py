"""The rows of a file that wait to be saved."""

from collections.abc import Mapping, Sequence

from bulkops.session.items import Item


class Record(Item, kw_only=True, array_like=True):
    """A row on its `line` of the file.

    `cells` are those of a table by heading, or in their order if the row could not be read.
    """

    text: bytes
    line: int
    cells: Mapping[str, str] | Sequence[str] = ()
