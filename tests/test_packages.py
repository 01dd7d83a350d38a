"""Every tool looks at every package, and the image holds them."""

import ast
import re
import tomllib
from collections import defaultdict
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


def test_no_class_name_stands_in_two_modules():
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            if "migrations" not in file.parts:
                for node in ast.parse(file.read_text(encoding="utf-8")).body:
                    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                        modules[node.name].append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in modules.items() if len(files) > 1 and name not in NAMED_BY_DJANGO} == {}
