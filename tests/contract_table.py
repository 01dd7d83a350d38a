"""The index from each rule of the contract to the test files that show it, read from the tests' markers.

`make contract-table` writes `docs/contract/tests.md` with it.
"""

import ast
import re
import sys
from collections import defaultdict
from functools import cache
from itertools import groupby
from pathlib import Path

TESTS = Path(__file__).parent
CONTRACT = TESTS.parent / "docs" / "contract"
RULE = re.compile(r"([A-Z])([0-9]+)")

_HEAD = """# Tests of each rule

Generated from the `contract` markers of the tests by `make contract-table`; do not edit. A name stands for the file
`test_NAME.py` in the folder before it.
"""


def rule_pages() -> dict[str, Path]:
    """Return the page of `docs/contract` that states each rule, rules in the order of the contract."""
    pages = sorted(CONTRACT.glob("?-*.md"))
    stated = {rule: page for page in pages for rule in re.findall(r"^- \*\*(\w+)\*\*", page.read_text("utf-8"), re.M)}
    return dict(sorted(stated.items(), key=lambda item: _order(item[0])))


def planned_rules() -> set[str]:
    """Return the rules that the pages mark as planned: nothing implements them yet."""
    pages = CONTRACT.glob("?-*.md")
    return {
        rule for page in pages for rule in re.findall(r"^- \*\*(\w+)\*\* \*\(planned\)", page.read_text("utf-8"), re.M)
    }


@cache
def shown_rules() -> dict[str, set[Path]]:
    """Return the test files that name each rule, relative to `tests`.

    Raises ValueError for a marker that is not a section's letter and a number.
    """
    found: defaultdict[str, set[Path]] = defaultdict(set)
    for file in sorted(TESTS.rglob("test_*.py")):
        for rule in _rules(ast.parse(file.read_text(encoding="utf-8"))):
            found[rule].add(file.relative_to(TESTS))
    return {rule: found[rule] for rule in sorted(found, key=_order)}


def table() -> str:
    """Return the whole index page."""
    shown = shown_rules()
    rows = [
        f"| [{rule}]({page.name}) | {_listed(shown[rule])} |" for rule, page in rule_pages().items() if rule in shown
    ]
    return "\n".join([_HEAD, "| rule | test files |", "|---|---|", *rows, ""])


def _listed(files: set[Path]) -> str:
    """Return `folder: name, name; folder: …`, short enough for a row."""
    folders = groupby(sorted(files), key=lambda file: file.parent)
    return "; ".join(
        f"`{folder.as_posix()}`: {', '.join(file.stem.removeprefix('test_') for file in inside)}"
        for folder, inside in folders
    )


def _order(rule: str) -> tuple[str, int]:
    match = RULE.fullmatch(rule)
    if match is None:
        raise ValueError(f"'{rule}' is not a rule of the contract")
    return match[1], int(match[2])


def _rules(tree: ast.Module) -> set[str]:
    """Return the arguments of every `pytest.mark.contract(...)` in a test file."""
    return {
        str(ast.literal_eval(argument))
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "contract"
        for argument in call.args
    }


if __name__ == "__main__":
    sys.stdout.write(table())
