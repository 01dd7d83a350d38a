"""A name means one thing: no class of the service has the name of another."""

import ast
from collections import defaultdict

from tests.packages import PACKAGES, ROOT

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
