"""The page of libraries has those of the lock file, in the reviewed versions."""

import re
import tomllib

from tests.docs.test_docs import ROOT, table

PAGE = ROOT / "docs" / "developers" / "dependencies.md"
LOCKED = re.findall(r"^([a-z0-9-]+)(?:\[[a-z]+\])?==([^ ]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)


def asked_for() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {re.split(r"[\[<>=]", dependency)[0] for dependency in project["dependencies"]}


def test_every_library_was_reviewed_in_its_version():
    """A new one, and a new version, have to be reviewed before the page lists them."""
    direct, others = table(PAGE, "Direct dependencies"), table(PAGE, "Indirect dependencies")
    assert sorted((name, version) for name, version, *_ in (*direct, *others)) == sorted(LOCKED)
    assert {name for name, *_ in direct} == asked_for()
