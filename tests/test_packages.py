"""Every tool looks at every package, and the image holds them."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from tests.packages import PACKAGES, ROOT

TOOLS: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
LINES = {"Makefile": r"/bandit .*", "Containerfile": r" compileall .*"}


@pytest.mark.parametrize(
    "listed",
    [
        TOOLS["mypy"]["files"],
        TOOLS["importlinter"]["root_packages"],
        TOOLS["mutmut"]["source_paths"] + TOOLS["mutmut"]["also_copy"],
        *(re.findall(line, (ROOT / file).read_text())[0].split() for file, line in LINES.items()),
    ],
    ids=["mypy", "import-linter", "mutmut", *LINES],
)
def test_a_list_of_packages_has_them_all(listed: list[str]):
    """A new dimension is checked, measured and shipped like the others."""
    assert set(PACKAGES) <= set(listed)


# Django looks for a class of this name in each database backend, and in each command.
NAMED_BY_DJANGO = {"DatabaseWrapper", "Command"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """The names and the code of our modules."""
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            if "migrations" not in file.parts:
                name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
                yield name, ast.parse(file.read_text(encoding="utf-8"))


def defined(code: ast.Module) -> Iterator[str]:
    """What a module defines: its classes, functions, constants and aliases."""
    for node in code.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def test_no_class_name_stands_in_two_modules():
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module, code in modules():
        for node in code.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in NAMED_BY_DJANGO} == {}


def test_no_name_is_imported_from_two_modules():
    """What stands in the code without its module means one thing."""
    definitions = {module: set(defined(code)) for module, code in modules()}
    places: defaultdict[str, set[str]] = defaultdict(set)
    for _, code in modules():
        for node in ast.walk(code):
            for name in node.names if isinstance(node, ast.ImportFrom) and node.module in definitions else ():
                if name.name in definitions[node.module]:
                    places[name.name].add(node.module)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
