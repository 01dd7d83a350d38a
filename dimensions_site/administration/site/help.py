"""The guide and the glossary within the administration, in its languages, and the section for each page."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET
from markdown_it import MarkdownIt
from markdown_it.token import Token

_DOCUMENTS = Path(settings.BASE_DIR) / "docs"
# By their names in URLs: the titles and the files.
GUIDES = {"guide": (_("Help"), "administrators.md"), "words": (_("Glossary"), "words.md")}
# Where the pictures of the guide are among the static files.
_PICTURES = "guide/"
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
# The sections of pages, by the ends of their URLs' names; those of a model come before the general ones.
SECTIONS: Mapping[str, str] = {
    **dict.fromkeys(("fileimport", "import_file"), "import-a-file"),
    "changeset": "see-what-happened",
    "dataprocessing": "delete-many",
    "plan": "change-proposals",
    **dict.fromkeys(("user", "group", "accessgrant", "accesschange", "loginfailures", "repository"), "give-access"),
    **dict.fromkeys(("apikey", "application", "issuedtoken"), "give-access"),
    **dict.fromkeys(("table", "change_elements", "replace_text"), "change-many-accounts"),
    "export_file": "export",
    **dict.fromkeys(("compare", "bring_over", "go_back"), "compare"),
    **dict.fromkeys(("history", "versions", "version", "deleted_elements", "restore"), "undo"),
    **dict.fromkeys(("changelist", "tree", "views", "view", "save_view", "condition", "columns"), "find"),
    **dict.fromkeys(("add", "change", "previous", "next"), "create-or-change-an-account"),
    "delete": "delete-many",
}


@dataclass(frozen=True)
class Guide:
    """A rendered document: its language, its HTML, and the ids and titles of its sections."""

    language: str
    html: SafeString
    sections: Mapping[str, str]


@cache
def rendered(file: str, language: str = "en") -> Guide:
    """Return the document as HTML, in English unless it is translated; nothing but its own Markdown has a meaning.

    The sections have the ids of the English document, so that a page leads to the same one in every language.
    """
    original = tokens = _tokens_of(_DOCUMENTS / file)
    if (translated := _DOCUMENTS / language / file).exists():
        tokens = _tokens_of(translated)
    else:
        language = "en"
    ids = dict(zip(_ids_of(tokens), _ids_of(original), strict=True))
    sections: dict[str, str] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            id = ids[slugify(inline.content)]
            opening.attrSet("id", id)
            if opening.tag == "h2":
                sections[id] = inline.content
        for child in inline.children or ():
            _adapt(child, ids)
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return Guide(language, mark_safe(html), sections)  # noqa: S308  # nosec B308 B703


def _tokens_of(document: Path) -> list[Token]:
    tokens = _PARSER.parse(document.read_text(encoding="utf-8"))
    # The page has a title of its own.
    return tokens[3:] if tokens and tokens[0].tag == "h1" else tokens


def _ids_of(tokens: list[Token]) -> list[str]:
    return [slugify(inline.content) for opening, inline in pairwise(tokens) if opening.type == "heading_open"]


def _adapt(token: Token, ids: Mapping[str, str]) -> None:
    """Let a picture come from the static files, and a link lead to a section; other documents are not here."""
    if token.type == "image":
        token.attrSet("src", static(_PICTURES + str(token.attrs["src"]).rpartition("/")[2]))
        token.attrSet("loading", "lazy")
    elif token.type == "link_open":
        known = {file: f"../{name}/" for name, (_title, file) in GUIDES.items()}
        document, _separator, section = str(token.attrs["href"]).partition("#")
        if document in known or not document:
            token.attrSet("href", known.get(document, "") + (f"#{ids[slugify(unquote(section))]}" if section else ""))
        else:
            del token.attrs["href"]


def section_of(url_name: str) -> str:
    """Return the section of the guide about the page with this name of its URL; empty for the beginning."""
    return next((section for part, section in SECTIONS.items() if f"_{part}_" in f"_{url_name}_"), "")


def in_pages(request: HttpRequest) -> dict[str, str]:
    """Return what the "?" of a page needs; a context processor."""
    match = request.resolver_match
    return {"help_section": section_of(match.url_name or "") if match else ""}


@require_GET
def show_help(request: HttpRequest, name: str) -> HttpResponse:
    """Show the guide or the glossary, in the language of the page."""
    if name not in GUIDES:
        raise Http404
    title, file = GUIDES[name]
    context = {"title": title, "guide": rendered(file, get_language() or "en"), "guides": GUIDES, "name": name}
    return render(request, "admin/help/guide.html", {**admin.site.each_context(request), **context})
