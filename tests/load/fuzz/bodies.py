"""Mutations of bodies: the announced body arrives, and the service has to answer it."""

import gzip
import re
import zlib
from random import Random

from tests.load.fuzz.message import Message, Mutation, damaged, somewhere

# Decompressed it is larger than any body that the service under test accepts.
_BOMB = gzip.compress(b" " * 20_000_000, mtime=0)

_VALUES = (
    b"9" * 500, b"-1e400", b"1e-400", b"1e99999999999", b"NaN", b"-Infinity", b"0x10", b"01", b"1.", b"-", b"null",
    b"true", b'""', b'"\\u0000"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\x"', b'"\x00"', b'"\xff\xfe"',
    b'"\xed\xa0\x80"',
    b'"' + b"x" * 5_000 + b'"', b"[]", b"{}", b"[" * 60 + b"]" * 60, b'{"a":' * 60 + b"1" + b"}" * 60, b"[" * 20_000,
    b'{"__proto__":{"admin":true}}', b'"2026-99-99T25:61:61"', b'"0000-00-00"', b'"\xe2\x80\xae"', b"[[[[1]]]]",
    b'{"id":"a","id":"b"}', b"9007199254740993", b"1e400", b"-0", b"99999999999999999999.9999999999999999",
)  # fmt: skip


def damage(random: Random, message: Message) -> Message:
    """Bits, parts left out, parts that come twice."""
    return message.with_body(damaged(random, message.body))


def cut(random: Random, message: Message) -> Message:
    """The beginning alone."""
    return message.with_body(message.body[: random.randint(0, len(message.body))])


def odd_value(random: Random, message: Message) -> Message:
    """Another value in the place of one that is there."""
    values = list(re.finditer(rb'"[^"\\]*"|\btrue\b|\bnull\b|\d+', message.body))
    if not values:
        return message.with_body(random.choice(_VALUES))
    found = random.choice(values)
    return message.with_body(message.body[: found.start()] + random.choice(_VALUES) + message.body[found.end() :])


def repeated_key(random: Random, message: Message) -> Message:
    """A duplicate member."""
    return message.with_body(message.body.replace(b"{", b'{"id": "fuzz-1", ', random.randint(1, 3)))


def odd_bytes(random: Random, message: Message) -> Message:
    """Bytes that are not text, a byte-order mark, other encodings."""
    other = (
        b"\xef\xbb\xbf" + message.body,
        message.body.decode("utf-8", "replace").encode("utf-16"),
        message.body.decode("utf-8", "replace").encode("utf-32-be"),
        somewhere(random, message.body, random.choice((b"\x00", b"\xff", b"\xc0\x80", b"\x1b[2J", b"\xef\xbb\xbf"))),
        b"",
    )
    return message.with_body(random.choice(other))


def compressed(random: Random, message: Message) -> Message:
    """Valid gzip, and every kind of invalid gzip."""
    whole = gzip.compress(message.body, mtime=0)  # otherwise it would contain the time of its making
    forms = (
        whole,
        whole[: random.randint(0, len(whole))],
        damaged(random, whole),
        whole + b"and more",
        gzip.compress(b"", mtime=0) * random.randint(1, 3_000) + whole,
        zlib.compress(message.body),
        gzip.compress(whole, mtime=0),
        _BOMB,
        message.body,
    )
    encoding = random.choice((b"gzip", b"gzip", b"gzip", b"x-gzip", b"GZIP", b"br", b"gzip, gzip", b"\xff", b""))
    return message.with_body(random.choice(forms)).with_headers((b"Content-Encoding", encoding))


BODIES: tuple[Mutation, ...] = (damage, damage, cut, *[odd_value] * 3, repeated_key, odd_bytes, compressed)
