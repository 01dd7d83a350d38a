"""Bulk bodies of lines and rows in which there is nothing, or nothing that ends."""

import gzip
from collections import Counter
from collections.abc import Callable
from itertools import cycle, islice

from tests.load.attacks.reads import ELEMENTS
from tests.load.attacks.scene import Scene, repeatedly

_CLIENTS = 8
_CSV, _NDJSON = "text/csv", "application/x-ndjson"
_HEADINGS = b"id,descriptions.en\n"
# Media type, beginning and what is repeated after it.
_BODIES: tuple[tuple[str, bytes, bytes], ...] = (
    (_CSV, _HEADINGS, b"\n"),
    (_CSV, _HEADINGS, b",\n"),
    (_NDJSON, b'{"id":"a"}\n', b"\n"),
    (_NDJSON, b"", b" \n"),
)
_ENDLESS: tuple[tuple[str, bytes, bytes], ...] = (
    (_CSV, _HEADINGS + b'a,"', b"short lines\n"),
    (_CSV, _HEADINGS, b"a," + b"x" * 5 * 1024**2 + b"\n"),
    (_CSV, _HEADINGS, b"a" + b"," * 3 * 1024**2 + b"\n"),
)


def empty_lines(scene: Scene) -> Counter[str]:
    """Lines and rows without anything, in both formats."""
    return _sent(scene, _BODIES)


def endless_rows(scene: Scene) -> Counter[str]:
    """A quote that is never closed, and rows that are too long, one after the other."""
    return _sent(scene, _ENDLESS)


def _sent(scene: Scene, bodies: tuple[tuple[str, bytes, bytes], ...]) -> Counter[str]:
    """Send each of the bodies at the largest size at which its compression does not count, and far beyond."""
    compressed = [
        (media_type, _compressed(beginning, repeated, size))
        for media_type, beginning, repeated in bodies
        for size in scene.scale.body_sizes
    ]
    turns = list(islice(cycle(compressed), max(_CLIENTS, len(compressed))))
    return repeatedly(_CLIENTS, scene.scale.seconds, _call(scene, turns))


def _call(scene: Scene, turns: list[tuple[str, bytes]]) -> Callable[[int], int]:
    def call(number: int) -> int:
        media_type, body = turns[number % len(turns)]
        sent = {"Content_Type": media_type, "Content_Encoding": "gzip"}
        return scene.attacker.send("POST", f"{ELEMENTS}-bulk", body, **sent).status

    return call


def _compressed(beginning: bytes, repeated: bytes, size: int) -> bytes:
    """Return such a body of about that size in members of at most 16 MiB, compressed."""
    piece = repeated * max(1, min(size, 16 * 1024**2) // len(repeated))
    return gzip.compress(beginning) + gzip.compress(piece) * max(1, size // len(piece))
