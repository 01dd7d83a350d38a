"""No regular expression takes more than linear time, whatever text is made for it (ReDoS)."""

import ast
import gc
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from lark import Lark

from dimensions_site.rsql import parser
from dimensions_site.rsql.errors import RsqlError
from dimensions_site.rsql.parser import MAX_FILTER_LENGTH

pytestmark = pytest.mark.contract("B3")

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("dimensions_site", "bulkops", "currency", "account")
# These read settings, which no client writes.
OF_OPERATORS = {"backends.py", "environment.py"}
_END, _BLANKS = r"(?:\r\n?|\n)", r"[^\S\r\n,]*+"
_QUOTED = rf"{_BLANKS}'(?:[^']|'')*+'{_BLANKS}"
# What stands for an object in a pattern that is made of its attributes.
LOCALS = {
    "name": "gbk",
    **dict.fromkeys(("other_name", "text", "key", "value", "heading", "word"), "x"),
    **dict.fromkeys(("delimiter", "mark"), ","),
    "quote": "'",
    "end": _END,
    "blanks": _BLANKS,
    "quoted": _QUOTED,
    "titles": rf"(?:(?:[^',\r\n]*+{_END})*+(?={_QUOTED},))?",
    "blank": r"[ \t]",
    "cell": r"[^\r\n]*",
    "chosen": {"text": "x", "matches_case": False},
    "self": SimpleNamespace(name="descriptions", key_pattern="(?s:.{1,128})"),
}
FUNCTIONS = {"compile", "fullmatch", "match", "search", "sub", "split", "findall", "finditer"}
# The repeated parts of texts, and what precedes and follows them.
PUMPS = (
    *("a", "0", " ", "\t", "\r", "\n", ".", ",", ";", ":", "-", "_", "=", "/", "%", "*", "@", "'", '"', "\\", "(", "["),
    *("aA", "a0", "0.", "/a", "\\\\", '\\"', '"",', "\\u", "\\ud", "\\ud800", "%2", "a-", "a.", "_x", "x0", "0e", "a,"),
    *(" and", "=a", "[]", "{", "<mergeCell ", "é", "\ud800", "'a',", "a\n"),
)
BEFORE = ("", '"')
BEHIND = ("", "\x00")
# A pattern that takes exponential time is noticed at one of these, before it takes for ever.
SHORT = (16, 20, 24, 28, 64)
# The processor seconds that it would need there.
TOO_LONG = 0.2
# A text that is four times as long may take at most this many times as long; sixteen would be quadratic.
LENGTH = 2_000
LONGER = 4 * LENGTH
MOST = 9
# What takes less seconds is not compared: the clock shows them too roughly.
MOMENT = 0.0005


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
                    parts = arguments[:2] if name == "compile" else arguments[:1]
                    pattern = re.compile(*(eval(ast.unparse(part), scope, LOCALS) for part in parts))
                    yield f"{place}:{node.lineno}", pattern, {name} if name != "compile" else _uses(source, node.lineno)


def _uses(source: str, line: int) -> set[str]:
    """What is called of the pattern that is compiled on the line."""
    name = source.splitlines()[line - 1].partition("=")[0].strip()
    return set(re.findall(rf"\b{re.escape(name)}\.([a-z]+)[(,)]", source))


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


def texts() -> Iterator[Callable[[int], str]]:
    """What makes a text of about that length."""
    for before, pump, behind in product(BEFORE, PUMPS, BEHIND):
        yield partial(pumped, before, pump, behind)


def pumped(before: str, pump: str, behind: str, length: int) -> str:
    return f"{before}{pump * (length // len(pump))}{behind}"


def seconds(work: Callable[[], object], quick: float) -> float:
    """What it takes of the processor, at the quickest of five times, or at the first that is `quick` enough."""
    taken: list[float] = []
    gc.disable()
    try:
        while len(taken) < 5 and not (taken and taken[-1] < quick):
            begin = time.thread_time()
            work()
            taken.append(time.thread_time() - begin)
    finally:
        gc.enable()
    return min(taken)


def is_quick(work: Callable[[], object]) -> bool:
    """Whether it takes less than TOO_LONG, without the garbage collector."""
    return seconds(work, TOO_LONG) < TOO_LONG


def grows_as_its_length(compare: Callable[[int], object]) -> bool:
    """Whether comparing LONGER characters takes about four times as long as LENGTH; another process may slow one, and
    not only for a moment."""
    for pause in (0, 0.1, 0.5, 2):
        time.sleep(pause)
        if seconds(partial(compare, LONGER), MOMENT) < MOMENT:
            return True
        most = max(MOST * seconds(partial(compare, LENGTH), 0), MOMENT)
        if seconds(partial(compare, LONGER), most) < most:
            return True
    return False


def test_the_patterns_of_the_project_are_found():
    """Those of this list stand for the others."""
    known = " ".join(PATTERNS)
    for part in (
        "json/reader.py",
        "rsql/compiler.py",
        "grammar.lark: QUOTED",
        "workbooks/sheets.py",
        "middleware/requests.py",
        "elements/",
    ):
        assert part in known
    assert len(PATTERNS) > 50


@pytest.mark.parametrize(("pattern", "uses"), PATTERNS.values(), ids=PATTERNS)
def test_the_time_of_a_pattern_grows_as_the_text(pattern: re.Pattern, uses: set[str]):
    """Each text is compared with 2,000 and 8,000 characters: a quadratic pattern is noticed."""
    compare: list[Callable[[str | bytes], object]] = [pattern.match, pattern.fullmatch]
    if not uses or uses - {"match", "fullmatch"}:
        # Not kept: the memory for many matches takes time of its own.
        compare.append(lambda text: deque(pattern.finditer(text), maxlen=0))
    for text in texts():
        sent = lru_cache(partial(encoded, text, isinstance(pattern.pattern, bytes)))
        assert all(is_quick(partial(compared, compare, sent, length)) for length in SHORT), text(40)
        assert grows_as_its_length(partial(compared, compare, sent)), text(40)


def encoded(text: Callable[[int], str], is_bytes: bool, length: int) -> str | bytes:
    return text(length).encode("utf-8", "surrogatepass") if is_bytes else text(length)


def compared(
    compare: Iterable[Callable[[str | bytes], object]], text: Callable[[int], str | bytes], length: int
) -> None:
    for each in compare:
        each(text(length))


def test_a_pattern_that_takes_the_square_of_the_text_is_noticed():
    """This one was in the project, for the formats of a workbook; half of the characters are enough.

    A busy machine may slow the shorter text down once, but seldom each of five times.
    """
    pattern = re.compile(r"\[[^\]]*\]")
    assert not all(grows_as_its_length(lambda length: pattern.findall("[" * (length // 2))) for _ in range(5))


@pytest.mark.contract("D4")
@pytest.mark.parametrize("pump", [*PUMPS, "id==a;", "id==a,", "id=in=(", "id=='", "id==a and ", "not ", "=x="])
def test_a_filter_of_any_text_is_read_or_refused_at_once(pump: str):
    """Up to the longest that is accepted, behind a condition and without one."""
    for before, behind in product(("", "id==", "id=in=(", 'id=="', "("), ("", ")", '"')):
        text = f"{before}{pump * MAX_FILTER_LENGTH}"[: MAX_FILTER_LENGTH - len(behind)] + behind
        assert is_quick(partial(refused_or_read, text)), text[:40]


def refused_or_read(text: str) -> None:
    with suppress(RsqlError):
        parser.parse(text)
