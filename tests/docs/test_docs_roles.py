"""The guides describe each role in the words of the pages."""

import pytest
from django.utils.translation import override

from dimensions_site.repositories.models import Role
from tests.packages import ROOT

pytestmark = pytest.mark.contract("G2")


GUIDES = [
    ("en", "administrators.md"),
    ("en", "operators/access.md"),
    *((language, f"{language}/administrators.md") for language in ("de", "es", "fr", "it")),
]


@pytest.mark.parametrize(("language", "guide"), GUIDES)
def test_the_guides_say_of_each_role_what_it_permits(language: str, guide: str):
    text = " ".join((ROOT / "docs" / guide).read_text(encoding="utf-8").split())
    with override(language):
        assert [role.label for role in Role if " ".join(role.permits.split()) not in text] == []
