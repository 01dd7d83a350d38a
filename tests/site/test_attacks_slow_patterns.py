"""No regular expression takes more than its share of time, whatever text somebody makes for it (ReDoS)."""

import ast
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from lark import Lark

from dimensions_site.rsql import parser
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.limits import MAX_LENGTH

pytestmark = pytest.mark.contract("B3")

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("dimensions_site", "bulkops", "currency", "account")
# These read settings, which no caller writes.
OF_OPERATORS = {"environment.py", "rates.py"}
# What stands for an object in a pattern that is made of its attributes.
LOCALS = {"self": SimpleNamespace(name="descriptions", key_pattern="(?s:.{1,128})")}
FUNCTIONS = {"compile", "fullmatch", "match", "search", "sub", "split", "findall", "finditer"}
# From what texts are pumped up, and what stands before and behind that.
PUMPS = (
    *("a", "0", " ", "\t", "\r", "\n", ".", ",", ";", ":", "-", "_", "=", "/", "%", "*", "@", "'", '"', "\\", "(", "["),
    *("aA", "a0", "0.", "/a", "\\\\", '\\"', '"",', "\\u", "\\ud", "\\ud800", "%2", "a-", "a.", "_x", "x0", "0e", "a,"),
    *(" and", "=a", "[]", "{", "<mergeCell ", "é", "\ud800"),
)
BEFORE = ("", '"')
BEHIND = ("", "\x00")
# A pattern that takes exponential time is noticed at one of the short ones, before it takes for ever.
LENGTHS = (16, 20, 24, 28, 64, 8_000)
# So many seconds of the processor a pattern needs for the longest when it takes the square of the length.
TOO_LONG = 0.2


def patterns_in_code() -> Iterator[tuple[str, re.Pattern, set[str]]]:
    """Each pattern of the project, where it stands, and the functions that compare texts with it, if known."""
    for file in (file for package in PACKAGES for file in sorted((PROJECT / package).rglob("*.py"))):
        source = file.read_text()
        if "migrations" in file.parts or file.name in OF_OPERATORS or "re." not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Call(ast.Attribute(ast.Name("re"), name), arguments) if name in FUNCTIONS:
                    place = file.relative_to(PROJECT)
                    scope = vars(import_module(".".join(place.with_suffix("").parts)))
                    flags = eval(ast.unparse(arguments[1]), scope) if name == "compile" and len(arguments) > 1 else 0
                    pattern = re.compile(eval(ast.unparse(arguments[0]), scope, LOCALS), flags)
                    yield f"{place}:{node.lineno}", pattern, {name} if name != "compile" else _uses(source, node.lineno)


def _uses(source: str, line: int) -> set[str]:
    """What is called of the pattern that is compiled on the line."""
    name = source.splitlines()[line - 1].partition("=")[0].strip()
    return set(re.findall(rf"\b{name}\.([a-z]+)\(", source))


def patterns_of_addresses(entries: Iterable[URLPattern | URLResolver]) -> Iterator[tuple[str, re.Pattern, set[str]]]:
    """Those of the administration are Django's."""
    for entry in entries:
        if isinstance(entry, URLResolver) and entry.app_name != "admin":
            yield from patterns_of_addresses(entry.url_patterns)
        yield f"address {entry.pattern}", entry.pattern.regex, {"search"}


def patterns_of_the_grammar() -> Iterator[tuple[str, re.Pattern, set[str]]]:
    grammar = Lark.open("grammar.lark", rel_to=parser.__file__, parser="lalr", start="disjunction")
    for terminal in grammar.terminals:
        yield f"grammar.lark: {terminal.name}", re.compile(terminal.pattern.to_regexp()), {"match"}


FOUND = (*patterns_in_code(), *patterns_of_the_grammar(), *patterns_of_addresses(get_resolver().url_patterns))
# Both dimensions have the same addresses.
PATTERNS = {place: (pattern, uses) for place, pattern, uses in FOUND}


def texts() -> Iterator[list[str]]:
    """Each text in its lengths."""
    for before, pump, behind in product(BEFORE, PUMPS, BEHIND):
        yield [f"{before}{pump * (length // len(pump))}{behind}" for length in LENGTHS]


def compared(compare: Iterable[Callable[[str | bytes], object]], text: str | bytes) -> None:
    for each in compare:
        each(text)


def is_quick(work: Callable[[], object]) -> bool:
    """Whether it takes less than TOO_LONG once in three times: the garbage collector may take its own time."""
    for _ in range(3):
        begin = time.thread_time()
        work()
        if time.thread_time() - begin < TOO_LONG:
            return True
    return False


def test_the_patterns_of_the_project_are_found():
    """Those of this list stand for the others."""
    known = " ".join(PATTERNS)
    for part in (
        "json_reader.py",
        "sorting.py",
        "grammar.lark: QUOTED",
        "sheet_reading.py",
        "middleware.py",
        "elements/",
    ):
        assert part in known
    assert len(PATTERNS) > 50


@pytest.mark.parametrize(("pattern", "uses"), PATTERNS.values(), ids=PATTERNS)
def test_a_pattern_takes_no_more_than_its_share_of_time(pattern: re.Pattern, uses: set[str]):
    """Pumped up to 8,000 characters, each text is compared within a moment: time grows as the text does."""
    compare: list[Callable[[str | bytes], object]] = [pattern.match, pattern.fullmatch]
    if not uses or uses - {"match", "fullmatch"}:
        compare.append(lambda text: list(pattern.finditer(text)))
    is_bytes = isinstance(pattern.pattern, bytes)
    for lengths in texts():
        for text in lengths:
            sent = text.encode("utf-8", "surrogatepass") if is_bytes else text
            assert is_quick(partial(compared, compare, sent)), (text[:40], len(text))


@pytest.mark.contract("D4")
@pytest.mark.parametrize("pump", [*PUMPS, "id==a;", "id==a,", "id=in=(", "id=='", "id==a and ", "not ", "=x="])
def test_a_filter_of_any_text_is_read_or_refused_at_once(pump: str):
    """Up to the longest that is accepted, behind a condition and without one."""
    for before, behind in product(("", "id==", "id=in=(", 'id=="', "("), ("", ")", '"')):
        text = f"{before}{pump * MAX_LENGTH}"[: MAX_LENGTH - len(behind)] + behind
        assert is_quick(partial(refused_or_read, text)), text[:40]


def refused_or_read(text: str) -> None:
    with suppress(RsqlError):
        parser.parse(text)
