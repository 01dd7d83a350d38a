"""The table from each rule of the contract to the tests that show it, read from the tests' markers.

`make contract-table` writes `docs/contract.md` with it.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
RULE = re.compile(r"([A-Z])([0-9]+)")

_HEAD = """# Rules of the contract and the tests that show them

Made from the markers of the tests by `make contract-table`; a test compares the two. A test's name says what it shows.
"""


def shown_rules() -> dict[str, list[str]]:
    """The tests that name each rule, as `folder/file.py: test`, rules in the order of the contract."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for file in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for rules, names in _marked(tree.body):
            for rule in rules:
                found[rule] |= {f"{file.relative_to(TESTS)}: {name}" for name in names}
    return {rule: sorted(found[rule]) for rule in sorted(found, key=_order)}


def table() -> str:
    """The whole page."""
    rows = [
        f"| {rule} | {len(tests)} | {'<br>'.join(f'`{test}`' for test in tests)} |"
        for rule, tests in shown_rules().items()
    ]
    return "\n".join([_HEAD, "| rule | tests | where |", "|---|---|---|", *rows, ""])


def _order(rule: str) -> tuple[str, int]:
    match = RULE.fullmatch(rule)
    if match is None:
        raise ValueError(f"{rule} is no rule of the contract")
    return match[1], int(match[2])


def _marked(body: list[ast.stmt]) -> Iterator[tuple[list[str], list[str]]]:
    """The rules and the names of the tests that they are said of: by decorator, by class, or by `pytestmark`."""
    tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    for node in body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "pytestmark" for target in node.targets):
            yield _rules([node.value]), [test.name for test in tests]
        elif isinstance(node, ast.ClassDef):
            inner = [
                test.name for test in node.body if isinstance(test, ast.FunctionDef) and test.name.startswith("test_")
            ]
            yield _rules(node.decorator_list), inner
            yield from _marked(node.body)
    for test in tests:
        yield _rules(test.decorator_list), [test.name]


def _rules(expressions: list[ast.expr]) -> list[str]:
    """The arguments of every `pytest.mark.contract(...)` in `expressions`."""
    return [
        str(ast.literal_eval(argument))
        for expression in expressions
        for call in ast.walk(expression)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "contract"
        for argument in call.args
    ]


if __name__ == "__main__":
    sys.stdout.write(table())
