"""Linters of OpenAPI documents find no errors in ours."""

import json
from pathlib import Path

import pytest

from tests import openapi
from tests.live.clients.tools import need_npm_tools, run

# What test_openapi_accepted.py compares with the served documents.
DOCUMENTS = {path.stem: path for path in sorted(Path(openapi.__file__).parent.glob("*.yml"))}


@pytest.mark.contract("H3", "M3")
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_redocly_finds_no_error(document: Path) -> None:
    """Its one warning is that the licence has no address: no licence was chosen, so all rights are reserved."""
    need_npm_tools()
    found = json.loads(run("redocly", "lint", document, "--format", "json"))

    assert [problem["ruleId"] for problem in found["problems"]] == ["info-license-strict"]
    assert found["totals"]["errors"] == 0


@pytest.mark.contract("H3", "M3")
def test_spectral_finds_nothing(tmp_path: Path) -> None:
    """With the rules for OpenAPI, warnings included; the document of all dimensions has what is in the others."""
    need_npm_tools()
    rules = tmp_path / "rules.json"
    rules.write_text('{"extends": ["spectral:oas"]}')

    run("spectral", "lint", "--ruleset", rules, "--fail-severity", "hint", DOCUMENTS["dimensions"])
