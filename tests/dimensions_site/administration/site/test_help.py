"""The guide is in the product, and each page leads to its section."""

import re

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.urls import get_resolver, reverse
from django.utils.translation import gettext, override
from django.utils.translation.trans_real import translation
from markdown_it import MarkdownIt

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


# --- In other languages ------------------------------------------------------------------------

LANGUAGES = [code for code, _name in settings.LANGUAGES if code != "en"]
DOCUMENTS = ("administrators.md", "words.md")
# In italics, but no text of a page as it stands: of Excel, of files, of programs, and names put together from several.
NOT_OF_PAGES = {
    *("bilanz/guv", "konto", "csv", "xlsx", "data → from text/csv", "plan", "×", "or +", "select all"),
    *("new account", "deleted accounts", "nature is profit and loss", "description (de) is missing"),
    *("copy from … into …", "go back to the state of …", "make the repository equal to the file"),
}


def inline_of(file: str, language: str = ""):
    """Return the paragraphs, headings and cells of a document."""
    tokens = MarkdownIt().enable("table").parse((ROOT / "docs" / language / file).read_text(encoding="utf-8"))
    return tokens, [child for token in tokens for child in token.children or ()]


def quoted(file: str, language: str = "") -> set[str]:
    """Return what the document has in italics: the texts of pages."""
    _blocks, children = inline_of(file, language)
    texts, depth = [], 0
    for child in children:
        if child.type == "em_open":
            depth += 1
            texts.append("")
        elif child.type == "em_close":
            depth -= 1
        elif depth:
            texts[-1] += " " if child.type == "softbreak" else child.content
    return {text.rstrip(".").lower() for text in texts}


def texts_of_pages() -> dict[str, set[str]]:
    """Return the texts that have translations, by themselves in small letters."""
    texts: dict[str, set[str]] = {}
    for catalog in translation("de")._catalog._catalogs:
        for text in catalog:
            if isinstance(text, str):
                texts.setdefault(text.lower(), set()).add(text)
    return texts


@pytest.mark.parametrize("file", DOCUMENTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_document_is_built_alike_in_every_language(file, language):
    """The same headings, lists, rows of tables and pictures, in the same order."""

    def built(language):
        blocks, children = inline_of(file, language)
        pictures = [child.attrs["src"].rpartition("/")[2] for child in children if child.type == "image"]
        return [block.tag for block in blocks if block.type != "inline" and block.type not in CELLS], pictures

    assert built(language) == built("")


CELLS = {"th_open", "th_close", "td_open", "td_close"}


def test_the_guide_quotes_what_pages_say():
    """A text of a page that changes, changes in the guide."""
    assert quoted("administrators.md") - texts_of_pages().keys() == NOT_OF_PAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_guide_quotes_pages_in_its_language(language):
    texts, said = texts_of_pages(), quoted("administrators.md", language)
    with override(language):
        for text in quoted("administrators.md") & texts.keys():
            assert said & {gettext(original).replace("\xa0", " ").lower() for original in texts[text]}, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_is_in_the_language_of_the_page(northwind, rita, language):
    """A page leads to the same section in every language."""
    browser = browser_of(rita)
    browser.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    text = browser.get(GUIDE).content.decode()
    assert f'<article class="sheet guide" lang="{language}">' in text
    assert rendered("administrators.md", language).sections.keys() == rendered("administrators.md").sections.keys()
    assert set(re.findall('href="#([^"]+)"', text)) <= set(re.findall('id="([^"]+)"', text))
