"""Requests in unchecked parts, so that each can be made invalid on its own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

Header: TypeAlias = tuple[bytes, bytes]
HOST: tuple[Header, ...] = ((b"Host", b"localhost"),)


@dataclass(frozen=True)
class Message:
    """A request; `headers` stand as they are sent, the one that frames the body among them."""

    method: bytes
    target: bytes
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    version: bytes = b"HTTP/1.1"

    @property
    def path(self) -> bytes:
        return self.target.partition(b"?")[0]

    @property
    def query(self) -> bytes:
        return self.target.partition(b"?")[2]

    def with_query(self, query: bytes) -> "Message":
        """The same with another query string."""
        return replace(self, target=self.path + b"?" + query)

    def with_headers(self, *headers: Header) -> "Message":
        """The same with further headers, before those that are there."""
        return replace(self, headers=(*headers, *self.headers))

    def without(self, *names: bytes) -> "Message":
        """The same without the headers of these names."""
        return replace(self, headers=tuple(header for header in self.headers if header[0].lower() not in names))

    def with_body(self, body: bytes) -> "Message":
        """The same with another body, whose length is announced."""
        return replace(self.without(b"content-length").with_headers((b"Content-Length", b"%d" % len(body))), body=body)

    def raw(self) -> bytes:
        """The bytes that are sent."""
        lines = [b" ".join(filter(None, (self.method, self.target, self.version)))]
        lines += [b"%s: %s" % header for header in self.headers]
        return b"\r\n".join([*lines, b"", self.body])


Recipe: TypeAlias = Callable[[Random], Message]
Mutation: TypeAlias = Callable[[Random, Message], Message]


def somewhere(random: Random, data: bytes, inserted: bytes) -> bytes:
    """The data with something inserted at a random place."""
    place = random.randint(0, len(data))
    return data[:place] + inserted + data[place:]


def damaged(random: Random, data: bytes) -> bytes:
    """The data with some bits flipped, a part cut out, or a part repeated."""
    if not data:
        return bytes(random.randrange(256) for _ in range(random.randint(1, 20)))
    start = random.randrange(len(data))
    end = min(len(data), start + random.randint(1, 40))
    choice = random.randrange(3)
    if choice == 0:
        flipped = bytearray(data)
        for _ in range(random.randint(1, 4)):
            flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
        return bytes(flipped)
    return data[:start] + data[end:] if choice == 1 else data[:end] + data[start:]
