"""Style sheets: a class means one thing, since a page may load several of them."""

import re
from collections import defaultdict

from django.conf import settings

SHEETS = settings.BASE_DIR / "dimensions_site" / "static" / "site"
# The selectors of a rule on all widths and on screens and paper, each alone: other rules stand within blocks.
SELECTORS = re.compile(r"^(\.[^{}\n]*)\{", re.MULTILINE)


def test_a_class_has_its_rules_in_one_style_sheet():
    """`.asked` was a grid of the change log and a folded table of imports, which became narrow."""
    sheets = defaultdict(set)
    for sheet in SHEETS.rglob("*.css"):
        if "tabulator" not in sheet.parts:
            for selectors in SELECTORS.findall(sheet.read_text(encoding="utf-8")):
                for name in re.findall(r"(?:^|,\s*)\.([\w-]+)\s*(?=,|$)", selectors.strip()):
                    sheets[name].add(sheet.relative_to(SHEETS).as_posix())
    assert len(sheets) > 50
    assert {name: found for name, found in sheets.items() if len(found) > 1} == {}
