"""Every tool looks at every package, and the image holds them."""

import re
import tomllib
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
