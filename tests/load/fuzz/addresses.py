"""Mutations of the path and the query: the result is still one line of the request."""

from dataclasses import replace
from random import Random
from urllib.parse import quote_from_bytes

from tests.load.fuzz.message import Message, Mutation, damaged, somewhere

_PIECES = (
    b"%00", b"%", b"%f", b"%FF", b"%C0%80", b"%ED%A0%80", b"%0d%0aX-Evil:%201", b"%0A", b"%09", b"%2e%2e%2f",
    b"../", b"//",
    b"/./", b"%2F", b"%25%32%66", b"\xff", b"\xc3\xa4", b"+", b"%20", b"#", b"'", b'"', b"\\", b";", b"%u0041", b"*",
    b"%E2%80%AE", b"%F0%9F%98%80", b"' OR '1'='1", b"'%3B%20SELECT%20pg_sleep(5)--", b"a" * 3_000,
)  # fmt: skip
_PARAMETERS = (
    b"filter=", b"filter=%28", b"filter=" + b"(" * 2_000, b"filter=" + b"id==a;" * 60 + b"id==a",
    b"filter=" + b"id==a," * 700, b"filter=id=in=(" + b"1," * 300 + b"1)", b"filter=id==" + b"a" * 5_000,
    b"filter=(id==a,id==b)" + b";(id==a,id==b)" * 30, b"filter=id=like=" + b"%25" * 900, b"filter=id=ilike='%5C%5C%5C'",
    b"filter=percentageDifference==1e5", b"filter=updateInfo.date=ge=9999-12-31T23:59:59-14:00", b"filter=id==%00",
    b"filter='" + b"%5C" * 999, b"sort=", b"sort=-,-", b"sort=id,id,id,id,id,id", b"sort=" + b"id;" * 2_000, b"skip=-1",
    b"skip=99999999999999999999", b"skip=9223372036854775807", b"take=0", b"take=-0", b"take=1e9", b"take=%D9%A1",
    b"properties=", b"properties=" + b"id," * 900, b"properties=descriptions.*,descriptions", b"dryRun=maybe",
    b"a=1&a=1",
    b"&".join(b"p%d" % number for number in range(1_500)), b"%zz", b"=", b"&&&", b"fliter=id==1", b"format=xml",
)  # fmt: skip


def odd_path(random: Random, message: Message) -> Message:
    """Something odd within the path."""
    return replace(message, target=message.target.replace(message.path, _touched(random, message.path), 1))


def other_repository(random: Random, message: Message) -> Message:
    """A repository in which the client may do nothing, or that does not exist."""
    name = random.choice((b"contoso", b"nowhere", b"Northwind", b"northwind%00", b"..", b"'", b"northwind%20", b"%FF"))
    return replace(message, target=message.target.replace(b"northwind", name, 1))


def odd_parameter(random: Random, message: Message) -> Message:
    """One more parameter, which bombs, is unknown or repeats one that is there."""
    parameter = random.choice(_PARAMETERS)
    return message.with_query(b"&".join(filter(None, (message.query, parameter))))


def odd_query(random: Random, message: Message) -> Message:
    """Something odd within the query."""
    return message.with_query(_touched(random, message.query))


def long_address(random: Random, message: Message) -> Message:
    """Up to and beyond the limits of the service and of the server."""
    return message.with_query(b"filter=" + b"x" * random.choice((8_000, 49_000, 65_400, 65_536, 131_000, 140_000)))


def _touched(random: Random, text: bytes) -> bytes:
    """The text with something inserted, or damaged and encoded, so that it stays one word."""
    if random.random() < 0.7:
        return somewhere(random, text, random.choice(_PIECES).replace(b" ", b"%20"))
    return quote_from_bytes(damaged(random, text), safe="/%?=&,;-.'()*").encode()


ADDRESSES: tuple[Mutation, ...] = (
    odd_path, odd_path, other_repository, odd_parameter, odd_parameter, odd_query, odd_query, long_address,
)  # fmt: skip
