"""Documents, templates and code use the words of `docs/glossary.md`, and none of those that it replaces."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_docs import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
# Files, and folders with all their documents, templates and modules.
COVERED = [
    ROOT / name
    for name in (
        "README.md",
        "CONTRIBUTING.md",
        "docs",
        "account",
        "bulkops",
        "currency",
        "dimensions_site",
        "templates",
    )
]
SUFFIXES = {".md", ".html", ".py"}
# The glossary and this test contain the words; file names of tests are not prose; tools for loads are no tests.
EXEMPT = [GLOSSARY, ROOT / "docs" / "contract" / "tests.md", ROOT / "tests" / "load", Path(__file__)]
# The help in other languages has other words.
EXEMPT += [ROOT / "docs" / language for language in ("de", "es", "fr", "it")]
FILES = sorted(
    file
    for covered in COVERED
    for file in (covered.rglob("*") if covered.is_dir() else [covered])
    if file.suffix in SUFFIXES and not any(file.is_relative_to(exempt) for exempt in EXEMPT)
)
# The benchmark's floor is the least that a machine can do, and may be written in the plural.
ALLOWED = {
    ("docs/developers/performance.md", "floors"),
    # The names of a metric and of a module.
    ("tests/dimensions_site/observability/test_metrics.py", "processings"),
    ("tests/live/test_faults.py", "faults"),
}
# Code, in blocks and in backquotes, and the targets of links.
CODE = re.compile(r"```.*?```|``.*?``|`[^`]*`|\]\([^)]*\)", re.DOTALL)
# Methods of Python's files, codes of languages, and what means that nothing is there.
OTHER_MEANINGS = re.compile(
    r"\.tell\(\)|\bheb?:he\b|\b(?:there|what) is none\b|\bis none of\b|\btell your administrator\b"
)


def replaced_words() -> list[str]:
    rows = [line.strip("|").split("|") for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if "|" in line]
    return [word for row in rows for word in re.findall("`(.+?)`", row[-1])]


def found(page: Path) -> Iterator[str]:
    """Yield each replaced word of the page, with its line."""
    text = page.read_text(encoding="utf-8")
    for exempt in (CODE, OTHER_MEANINGS):
        text = exempt.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    words = re.compile(rf"\b(?:{'|'.join(form for word in replaced_words() for form in (word, word.capitalize()))})\b")
    name = page.relative_to(ROOT).as_posix()
    for number, line in enumerate(text.splitlines(), start=1):
        for word in words.findall(line):
            if (name, word.lower()) not in ALLOWED:
                yield f"{name}:{number}: {word}"


def test_the_glossary_has_20_to_50_rows_that_name_replaced_words():
    assert 20 <= GLOSSARY.read_text(encoding="utf-8").count("\n| ") - 2 <= 50
    assert len(replaced_words()) > 20


@pytest.mark.parametrize("page", FILES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_file_uses_the_words_of_the_glossary(page: Path):
    assert list(found(page)) == []
