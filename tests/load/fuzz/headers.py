"""Mutations of headers whose lines stay lines: their content is odd, and the body arrives as announced."""

from random import Random

from tests.load.fuzz.message import Message, Mutation, somewhere

_VALUES: dict[bytes, tuple[bytes, ...]] = {
    b"Idempotency-Key": (
        b"", b'"quoted"', b"a" * 255, b"a" * 256, b"a" * 8_000, b"\xff", b"a b", b"\x7f", b"'; drop table x",
        b"\xe2\x98\x83",
    ),
    b"If-Match": (b"", b"*", b"**", b'"', b'W/"', b'"a"' * 200, b'"a",' * 1_500, b"\xff", b"x", b'"\x80"'),
    b"If-None-Match": (b"", b"*", b"*, *", b'"', b'W/"', b'"a",' * 1_500, b"\xff", b'"a" "b"'),
    b"If-Modified-Since": (b"yesterday", b"Thu, 01 Jan 1970 00:00:00 GMT", b"\xff"),
    b"Content-Type": (
        b"", b"application/json; charset=utf-16", b"application/json; charset=zlib", b"text/plain; a*=x''%41", b"\xff",
        b"multipart/form-data", b"multipart/form-data; boundary=" + b"x" * 300, b"application/json;" * 200, b";;;",
        b"application/x-www-form-urlencoded", b"application/json; charset*=utf-7''x", b"application/JSON",
    ),
    b"Accept": (b"", b";;q=,", b"*/*;q=nan", b"text/csv", b"application/x-ndjson", b"a/b," * 1_500, b"\xff",
    b"text/html"),
    b"Accept-Encoding": (b"gzip", b"gzip;q=x", b"\xff"),
    b"Accept-Language": (b"de", b"x" * 5_000, b"../../etc", b"\xff"),
    b"Authorization": (
        b"", b"Basic", b"Basic \xff", b"Basic Og==", b"Basic AAAA", b"Basic " + b"A" * 7_000, b"Bearer",
        b"Bearer a.b.c",
        b"Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.", b"Bearer \xff", b"Api-Key", b"Api-Key x.y", b"Digest a=b",
    ),
    b"X-API-Key": (b"", b"x", b"12345678.12345678901234567890123456789012", b"\xff" * 41, b"x" * 8_000),
    b"X-Request-ID": (b"", b"a" * 128, b"a" * 129, b"\xff", b"a b", b"<script>", b"%0d%0aX-Evil: 1"),
    b"Prefer": (b"count=exact", b"count=exact;" * 500, b"\xff", b",;=", b'count="exact"'),
    b"Host": (b"", b"evil.example", b"localhost:99999", b"localhost@evil.example", b"\xff", b"[::1", b"127.0.0.1\t",
    b"a" * 5_000),
    b"Expect": (b"100-continue", b"100-Continue", b"200-maybe", b"\xff"),
    b"Upgrade": (b"h2c", b"websocket"),
    b"Connection": (b"close", b"keep-alive", b"upgrade", b"Transfer-Encoding", b"\xff"),
    b"Range": (b"bytes=0-1", b"bytes=" + b"0-1," * 1_000, b"x"),
    b"Cookie": (b"sessionid=x", b"sessionid=" + b"x" * 5_000, b"a=" * 1_500, b"csrftoken=\xff", b"\xff",
    b"django_language=../x"),
    b"X-HTTP-Method-Override": (b"DELETE",),
    b"X-Forwarded-For": (b"127.0.0.1", b"1.2.3.4, " * 500, b"\xff", b"'"),
    b"X-Forwarded-Host": (b"evil.example", b"\xff"),
    b"X-Forwarded-Proto": (b"https", b"https,http", b"\xff"),
    b"X-Forwarded-Prefix": (b"/prefix", b"//evil.example", b"\xff"),
    b"Forwarded": (b"for=127.0.0.1;proto=https", b"for=\xff"),
    b"Script-Name": (b"/x",),
    b"Script_Name": (b"/x",),
    b"Content-Length_": (b"9",),
    b"Origin": (b"null", b"https://evil.example", b"\xff"),
    b"Access-Control-Request-Method": (b"POST", b"\xff"),
    b"Proxy": (b"http://evil.example",),
}  # fmt: skip
_FRAMING = (b"content-length", b"transfer-encoding")


def odd_header(random: Random, message: Message) -> Message:
    """A header with an odd value in the place of the sane one."""
    name = random.choice(sorted(_VALUES))
    return message.without(name.lower()).with_headers((name, random.choice(_VALUES[name])))


def second_header(random: Random, message: Message) -> Message:
    """A header twice, with two values."""
    name = random.choice(sorted(_VALUES))
    return message.with_headers(*((name, random.choice(_VALUES[name])) for _ in range(2)))


def damaged_value(random: Random, message: Message) -> Message:
    """An odd byte within the value of a header that is there."""
    harmless = [position for position, (name, _) in enumerate(message.headers) if name.lower() not in _FRAMING]
    name, value = message.headers[random.choice(harmless)]
    odd = random.choice((b"\xff", b"\t", b"  ", b",", b";", b'"', b"\xc3\xa4", b"=", b"%00"))
    return message.without(name.lower()).with_headers((name, somewhere(random, value, odd)))


def many_headers(random: Random, message: Message) -> Message:
    """Around and beyond the number and the size that the server takes."""
    if random.random() < 0.5:
        return message.with_headers(
            *((b"X-%d" % number, b"1") for number in range(random.choice((90, 97, 110, 2_000))))
        )
    return message.with_headers((b"X-Giant", b"x" * random.choice((8_000, 8_180, 8_191, 70_000))))


def no_host(random: Random, message: Message) -> Message:
    """Without the header that HTTP/1.1 asks for."""
    return message.without(b"host")


HEADERS: tuple[Mutation, ...] = (
    odd_header, odd_header, odd_header, second_header, damaged_value, many_headers, no_host,
)  # fmt: skip
