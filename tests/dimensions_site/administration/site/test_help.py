"""The guide is in the product, and each page leads to its section."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.urls import get_resolver, reverse

from account.models import Account
from dimensions_site.administration.site.help import SECTIONS, rendered, section_of
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.packages import ROOT

GUIDE = reverse("help", args=["guide"])


def test_every_section_of_a_page_is_in_the_guide():
    """A link leads to a heading that exists."""
    assert set(SECTIONS.values()) <= set(rendered("administrators.md").sections)


def test_nearly_every_page_has_a_section():
    """A new page gets one in the same table."""
    resolver = get_resolver()
    names = {name for name in resolver.namespace_dict["admin"][1].reverse_dict if isinstance(name, str)}
    of_elements = {name for name in names if name.startswith(("account_account_", "currency_currency_"))}
    assert len(of_elements) > 30
    parts = ("_uses", "_pick", "_pickers", "_conditions")
    assert {name for name in of_elements if not section_of(name) and not name.endswith(parts)} == set()


@pytest.mark.parametrize(
    ("name", "section"), [("changelist", "find"), ("add", "create-or-change-an-account"), ("compare", "compare")]
)
def test_a_page_leads_to_its_section(northwind, alice, name, section):
    """By the question mark at its upper right."""
    text = browser_of(alice).get(page(Account, name), {"view": "all"}, follow=True).content.decode()
    assert f'href="{GUIDE}#{section}" aria-label="Help"' in text


def test_the_guide_is_a_page_with_pictures(northwind, rita):
    """Its links lead to its own sections and to the glossary; documents that are not there are no links."""
    text = browser_of(rita).get(GUIDE).content.decode()
    (article,) = re.findall("<article.*</article>", text, re.DOTALL)
    ids = set(re.findall('id="([^"]+)"', article))
    links = re.findall('href="([^"]*)"', article)
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert {link for link in links if not link.startswith("#")} == {"../words/"}
    assert "../words/" in links
    pictures = re.findall('src="/static/([^"]+)"', article)
    assert len(pictures) > 5
    assert all(finders.find(picture) for picture in pictures)
    assert "Stichtagskurs" in browser_of(rita).get(reverse("help", args=["words"])).content.decode()


def test_other_documents_are_not_there(northwind, rita):
    """Nor is the guide for those who are not signed in."""
    assert browser_of(rita).get(reverse("help", args=["security"])).status_code == 404
    assert superuser().get(GUIDE).status_code == 200
    browser_of(rita).logout()


def test_markdown_cannot_bring_scripts(tmp_path, monkeypatch):
    """What looks like HTML is shown as it is."""
    (tmp_path / "odd.md").write_text("# T\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n", encoding="utf-8")
    monkeypatch.setattr("dimensions_site.administration.site.help._DOCUMENTS", tmp_path)
    html = rendered.__wrapped__("odd.md").html
    assert "<script" not in html
    assert "href" not in html


def test_the_documents_are_in_the_container():
    """Which copies single files."""
    text = (ROOT / "Containerfile").read_text()
    for file in ("docs/administrators.md", "docs/words.md", "docs/images/administrators"):
        assert file in text
        assert f"!{file}" in (ROOT / ".dockerignore").read_text()
