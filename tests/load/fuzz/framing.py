"""Mutations after which the end of the request is unclear: lines, lengths, chunks, plain bytes."""

from dataclasses import replace
from random import Random

from tests.load.fuzz.message import Message, Mutation, damaged, somewhere

_LINES = (
    b"GET / HTTP/0.9", b"GET /", b"GET", b"", b"\x00", b"GET  /  HTTP/1.1", b"GET\t/\tHTTP/1.1", b"get / HTTP/1.1",
    b"GET / HTTP/2.0", b"GET / HTTP/1.999", b"GET / http/1.1", b"GET / HTTP/1.1 HTTP/1.1", b"OPTIONS * HTTP/1.1",
    b"PRI * HTTP/2.0", b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2", b"CONNECT localhost:1 HTTP/1.1", b"TRACE / HTTP/1.1",
    b"GET http://evil.example/health/live HTTP/1.1", b"GET //evil.example/ HTTP/1.1", b"GET ?x HTTP/1.1",
    b"G\xcbT / HTTP/1.1",
    b"GET /\x00 HTTP/1.1", b"GET /\xff HTTP/1.1", b"X" * 30 + b" / HTTP/1.1",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET http://[::1/ HTTP/1.1", b"GET #/ HTTP/1.1", b"GET http:///x HTTP/1.1", b"GET /health/live#x HTTP/1.1",
)  # fmt: skip
_METHODS = (
    b"GET",
    b"HEAD",
    b"POST",
    b"PUT",
    b"PATCH",
    b"DELETE",
    b"OPTIONS",
    b"TRACE",
    b"PROPFIND",
    b"get",
    b"G ET",
    b"\xff",
)
_LENGTHS = (
    b"-1", b"+5", b"0x5", b"5, 5", b"5,6", b" 5", b"5 ", b"", b"99999999999999999999", b"1e3", b"\xd9\xa1", b"0",
    b"1_0", b"5\x0b", b"9" * 5_000,
)  # fmt: skip
_CODINGS = (
    b"chunked", b"Chunked", b"chunked, identity", b"gzip, chunked", b"chunked, chunked", b"xchunked", b" chunked",
    b"chunked\t",
    b"identity", b"", b"\x0bchunked", b"chunked;q=1", b"gzip",
)  # fmt: skip
_HEADERS = (
    b"X-Folded: a\r\n b", b"X-Folded: a\r\n\tb", b" X-Leading: a", b"X-Blank : a", b"X\x00: a", b"X-NUL: a\x00b",
    b"X-CR: a\rb", b"X-LF: a\nX-Evil: b", b": nameless", b"no colon", b"X-\xff: a", b"X(y): a", b"Host: a\r\nHost: b",
    b"Content-Length: 0\r\nContent-Length: 5", b"Content_Length: 5", b"Transfer-Encoding: chunked\r\nContent-Length: 5",
    b"\r\n", b"X: " + b"\x7f", b"\xe2\x98\x83: snow",
)  # fmt: skip
_SIZES = (
    b"%x",
    b"%X",
    b"0%x",
    b"-%x",
    b"+%x",
    b"0x%x",
    b" %x",
    b"%x ",
    b"%x;a=b",
    b"%x;" + b"e" * 5_000,
    b"%x\x00",
    b"fffffffffffffff%x",
)
_ENDS = (
    b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nX-Trailer: a\r\n\r\n", b"0\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n",
    b"0\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"0\r\n", b"", b"00000\r\n\r\n", b"0;x=y\r\n\r\n", b"0\n\n",
    b"0\r\nno colon\r\n\r\n",
)  # fmt: skip


def other_line(random: Random, message: Message) -> Message:
    """Another first line altogether."""
    return replace(message, method=random.choice(_LINES), target=b"", version=b"")


def other_method(random: Random, message: Message) -> Message:
    """A method that the address does not support, or that does not exist."""
    return replace(message, method=random.choice(_METHODS))


def other_version(random: Random, message: Message) -> Message:
    """HTTP/1.0, or an invalid version."""
    return replace(message, version=random.choice((b"HTTP/1.0", b"HTTP/1.2", b"HTTP/11", b"HTTP/", b"", b"HTTP/1.1\t")))


def other_length(random: Random, message: Message) -> Message:
    """A length that is invalid, or is not that of the body."""
    length = random.choice((*_LENGTHS, b"%d" % (len(message.body) + 3), b"%d" % max(0, len(message.body) - 3)))
    kept = message if random.random() < 0.3 else message.without(b"content-length")
    return kept.with_headers((b"Content-Length", length))


def chunked(random: Random, message: Message) -> Message:
    """The body in chunks, well made or not."""
    sizes = _SIZES if random.random() < 0.6 else _SIZES[:1]
    ends = _ENDS if random.random() < 0.6 else _ENDS[:1]
    body = b""
    rest = message.body
    while rest:
        chunk, rest = rest[: (size := random.randint(1, 400))], rest[size:]
        body += random.choice(sizes) % len(chunk) + b"\r\n" + chunk + (b"\r\n" if random.random() < 0.98 else b"")
    coding = random.choice(_CODINGS) if random.random() < 0.4 else b"chunked"
    kept = message if random.random() < 0.2 else message.without(b"content-length")
    return replace(kept.with_headers((b"Transfer-Encoding", coding)), body=body + random.choice(ends))


def broken_lines(random: Random, message: Message) -> Message:
    """Invalid headers: folded, without a name, with NUL, CR or LF in them."""
    name, _, value = random.choice(_HEADERS).partition(b": ")
    return message.with_headers((name, value))


FRAMING: tuple[Mutation, ...] = (
    other_line, other_method, other_version, other_length, chunked, chunked, chunked, broken_lines, broken_lines,
)  # fmt: skip


def plain_bytes(random: Random, raw: bytes) -> bytes:
    """The whole request as bytes that mean nothing."""
    choice = random.randrange(4)
    if choice == 0:
        return random.randbytes(random.randint(1, 2_000))
    if choice == 1:
        return raw.replace(b"\r\n", random.choice((b"\n", b"\r", b"\r\r\n", b"\r\n\r\n")), random.randint(1, 5))
    if choice == 2:
        return somewhere(random, raw, random.randbytes(random.randint(1, 8)))
    return damaged(random, raw)
