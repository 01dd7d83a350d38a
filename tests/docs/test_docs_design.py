"""Code refers to design pages that exist, and those pages to modules that exist."""

import re
from pathlib import Path

import pytest

from tests.docs.test_docs import ROOT

DEVELOPERS = ROOT / "docs" / "developers"
DESIGN = DEVELOPERS / "design"
PAGES = [ROOT / "CONTRIBUTING.md", DEVELOPERS / "architecture.md", *sorted(DESIGN.glob("*.md"))]
CODE = sorted(
    path
    for name in ("account", "bulkops", "currency", "dimensions_site", "tests")
    for path in (ROOT / name).rglob("*.py")
    if path != Path(__file__)
)
# Paths on these pages begin at one of these folders.
FOLDERS = [ROOT, ROOT / "dimensions_site", ROOT / "dimensions_site" / "repositories", ROOT / "bulkops"]


def test_every_design_page_that_code_names_exists():
    named = {
        (str(path.relative_to(ROOT)), page)
        for path in CODE
        for page in re.findall(r"design/([\w-]+\.md)", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 40
    assert [(path, page) for path, page in named if not (DESIGN / page).exists()] == []


def test_no_code_names_a_record_by_number():
    """Records were folded into the design pages; a number leads nowhere."""
    assert [path for path in CODE if re.search(r"\brecord \d", path.read_text(encoding="utf-8"))] == []


def test_the_index_names_every_design_page():
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (DESIGN / "README.md").read_text(encoding="utf-8")))
    assert listed == {page.name for page in DESIGN.glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_a_page_names_exists(page: Path):
    named = set(re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|js|sql|ini))`", page.read_text(encoding="utf-8")))
    own = {path for path in named if not path.startswith("dist/")}
    assert [path for path in own if not any((folder / path).exists() for folder in FOLDERS)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_in_a_module_is_there(page: Path):
    """As "`name` in `path.py`" or "`name` (`path.py`)"."""
    text = " ".join(page.read_text(encoding="utf-8").split())
    named = re.findall(r"`([\w.]+)(?:\(\))?`(?:,? in | \()`([\w./-]+/[\w.-]+\.py)`", text)
    modules = {path: folder / path for _, path in named for folder in FOLDERS if (folder / path).exists()}
    missing = [
        (name, path)
        for name, path in named
        if not re.search(rf"\b{name.rpartition('.')[2]}\b", modules[path].read_text(encoding="utf-8"))
    ]
    assert missing == []
