"""The guides describe each role in the words of the pages."""

import pytest

from dimensions_site.repositories.models import Role
from tests.packages import ROOT

pytestmark = pytest.mark.contract("G2")


@pytest.mark.parametrize("guide", ["administrators.md", "operators/access.md"])
def test_the_guides_say_of_each_role_what_it_permits(guide: str):
    text = " ".join((ROOT / "docs" / guide).read_text(encoding="utf-8").split())
    assert [role.label for role in Role if role.permits not in text] == []
