"""The translations are complete: every text in every language, and what Django reads is what people wrote."""

import re
from string import Formatter

import pytest
from django.conf import settings

from tests.messages import LANGUAGES, po_file, strings, translated, translations, used
from tests.packages import PACKAGES, ROOT

WRITE = "make messages"


@pytest.fixture(scope="module")
def texts():
    return used()


def pairs(message):
    """The English texts of a message, each with its translation."""
    english = strings(message.id)
    # The plural stands for all numbers but one.
    return [(english[min(number, len(english) - 1)], text) for number, text in enumerate(strings(message.string))]


def placeholders(text):
    """The placeholders: `%(name)s` and `{name}`."""
    if re.search(r"%\(\w+\)", text):
        return sorted(re.findall(r"%\(\w+\)[sd]", text))
    try:
        return sorted(str(name) for _, name, _, _ in Formatter().parse(text) if name is not None)
    except ValueError:
        return []  # braces of JSON, and nothing to fill in


def test_the_site_offers_english_and_the_languages_that_have_files():
    assert {code for code, _ in settings.LANGUAGES} == {"en", *LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_code_and_templates_show_is_translated_and_nothing_else(texts, language):
    """No text is missing, none is left over, none is uncertain: `make messages` lists what has to be done."""
    messages = [message for message in translated(language) if message.id]
    known = {message.id for message in messages}
    assert sorted(set(texts) - known) == [], f"not in the file; to write them into it, run: {WRITE}"
    assert sorted(known - set(texts)) == [], f"shown nowhere any more; to take them out, run: {WRITE}"
    assert [message.id for message in messages if message.fuzzy] == []
    assert [message.id for message in messages if not all(text.strip() for text in strings(message.string))] == []


def test_no_text_is_where_it_is_not_found():
    """Within an f-string."""
    code = {file: file.read_text() for package in PACKAGES for file in (ROOT / package).rglob("*.py")}
    assert [str(file) for file, text in code.items() if re.search(r"""\bf["'][^"'\n]*\{_\(""", text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_fills_in_what_the_english_text_fills_in(language):
    said = [pair for message in translated(language) if message.id for pair in pairs(message)]
    assert [pair for pair in said if placeholders(pair[0]) != placeholders(pair[1])] == []


def test_french_has_blanks_that_do_not_break_beside_its_signs():
    said = [text for message in translated("fr") if message.id for text in strings(message.string)]
    assert [text for text in said if re.search(r"\S [:;?!»]|« ", text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_are_as_make_messages_writes_them(texts, language):
    written = translations(language, texts, translated(language))
    # pytest would take minutes to describe how they differ.
    is_written = po_file(language).read_bytes() == written.as_po()
    is_compiled = po_file(language).with_suffix(".mo").read_bytes() == written.as_mo()
    assert is_written, f"to write it again, run: {WRITE}"
    assert is_compiled, f"to compile it, run: {WRITE}"
