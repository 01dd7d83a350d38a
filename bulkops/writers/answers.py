"""The answer to a bulk save: the saved elements, as they are in its transaction (contract E3)."""

from itertools import chain
from typing import IO

from bulkops.writers.writer import Writer
from dimensions_site.api.rendering import json_array, pieces
from dimensions_site.elements.reading.rendering import Renderer

# Elements that are read together: this many of the largest take 50 MB.
_READ_TOGETHER = 200


def write_answer(writer: Writer, renderer: Renderer, count: int, answer: IO[bytes]) -> None:
    """Write the elements of the first `count` entries to `answer`, as a JSON array in their order."""
    parts = (writer.written(start, start + _READ_TOGETHER, renderer.each) for start in range(0, count, _READ_TOGETHER))
    for piece in json_array(pieces(chain.from_iterable(parts))):
        answer.write(piece)  # `writelines` would keep all of it in memory
    answer.flush()  # a full disk raises before anything is saved
