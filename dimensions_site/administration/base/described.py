"""The cell with the description of an element, in the language of the page."""

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from dimensions_site.elements.reading.descriptions import Texts, excerpts, is_in, preferred_text
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import shortened

_SHOWN = 120


def language_of_page(default: str) -> str:
    """Return the language of the page, without its region; `default` if none is active."""
    return (get_language() or default).partition("-")[0]


def description_of(texts: Texts, repository: Repository) -> str:
    """Return the text in the language of the page if there is one, else another; empty without any."""
    default = repository.default_language
    return preferred_text(texts, language_of_page(default), default)[1]


def shown_description(element: Any, repository: Repository, words: Sequence[str] = ()) -> SafeString:
    """Return the description of the `element` of the `repository`, in the language of the page if there is one.

    Those of the searched `words` that are not in it nor in the id are shown in the texts that have them. A language
    that is not the page's is named.
    """
    default = repository.default_language
    language = language_of_page(default)
    tag, text = preferred_text(element.descriptions, language, default)
    shown = shortened(text, _SHOWN)
    further = [
        (other, shortened(excerpt, _SHOWN))
        for other, excerpt in excerpts(element.descriptions, words, f"{element.element_id}\n{shown}")
    ]
    return format_html(
        '<span class="element-described">{}{}{}</span>',
        shown,
        "" if is_in(language, tag) else _named(tag),
        format_html_join(
            "",
            '<span class="element-found">{}{}</span>',
            ((excerpt, "" if is_in(language, other) else _named(other)) for other, excerpt in further),
        ),
    )


def _named(tag: str) -> SafeString:
    return format_html(" <small>({})</small>", tag) if tag else SafeString("")
