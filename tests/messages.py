"""The texts of the administration, found in code and templates, and the files that translate them.

`make messages` brings `dimensions_site/locale` up to date with it: a new text comes without a translation, one that
nothing uses any more goes, and what is translated is compiled for Django.
"""

import gettext
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import django
from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from tests.packages import PACKAGES, ROOT

LOCALE = ROOT / "dimensions_site" / "locale"
LANGUAGES = sorted(folder.name for folder in LOCALE.iterdir())

_OURS = (*(f"{package}/**/*.py" for package in PACKAGES), "templates/**/*.html")
# What these libraries show, and do not translate into all of our languages themselves, is translated by us.
_OF_LIBRARIES = (
    "django/contrib/auth/forms.py",
    "django_q/admin.py",
    "django_q/models.py",
    "unfold/*.py",
    "unfold/contrib/filters/**/*.py",
    "unfold/mixins/base_model_admin.py",
    "unfold/templates/admin/**/*.html",
    "unfold/templates/auth/**/*.html",
    "unfold/templates/registration/**/*.html",
    "unfold/templates/unfold/**/*.html",
    "unfold/templatetags/*.py",
)
_TRANSLATED_BY_DJANGO = ("conf", "contrib/admin", "contrib/auth")
# What Django translates with other words than we do for the same.
_OTHER_WORDS = {
    "Save and add another": "unfold/templates/admin/submit_line.html",
    # In Spanish it has no blank after its article.
    "The %(name)s “%(obj)s” was deleted successfully.": "django/contrib/admin/options.py",
}
_KEYWORDS: Any = {**DEFAULT_KEYWORDS, "gettext_lazy": None, "ngettext_lazy": (1, 2)}

# A text, or its singular and its plural.
Text: TypeAlias = str | tuple[str, ...]


def used() -> dict[Text, list[str]]:
    """What code and templates show, each with the files in which it stands."""
    found: dict[Text, list[str]] = {}
    for file in _files(ROOT, _OURS):
        for text in _texts(ROOT / file):
            _note(found, text, file)
    for text, file in _OTHER_WORDS.items():
        _note(found, text, file)
    packages = Path(django.__file__).parent.parent
    for file in _files(packages, _OF_LIBRARIES):
        for text in _texts(packages / file):
            if text in found or not _is_translated_by_django(packages, text):
                _note(found, text, file)
    return found


def _note(found: dict[Text, list[str]], text: Text, file: str) -> None:
    files = found.setdefault(text, [])
    if file not in files:
        files.append(file)


def _files(folder: Path, patterns: tuple[str, ...]) -> list[str]:
    return sorted({file.relative_to(folder).as_posix() for pattern in patterns for file in folder.glob(pattern)})


def _texts(file: Path) -> Iterator[Text]:
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".html":
        # Calls of gettext amid crossed out words; inside a bracket Python does not mind how lines are indented.
        source = f"({templatize(source)})"
    for _line, text, _comments, _context in extract("python", io.BytesIO(source.encode()), _KEYWORDS):
        yield text


class _Nothing(gettext.NullTranslations):
    """Has no translation of anything, and says so."""

    def gettext(self, message: str) -> str:
        return ""

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return ""


def _is_translated_by_django(packages: Path, text: Text) -> bool:
    return all(
        any(
            catalog.gettext(text) if isinstance(text, str) else catalog.ngettext(text[0], text[1], 1)
            for catalog in _catalogs_of_django(packages, language)
        )
        for language in LANGUAGES
    )


def _catalogs_of_django(packages: Path, language: str) -> Iterator[gettext.NullTranslations]:
    for part in _TRANSLATED_BY_DJANGO:
        catalog = gettext.translation("django", packages / "django" / part / "locale", [language])
        catalog.add_fallback(_Nothing())
        yield catalog


class Translations(Catalog):
    """The translations into one language, without a head that changes each time that it is written."""

    def __init__(self, language: str) -> None:
        super().__init__(locale=language, header_comment="", fuzzy=False)

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale_identifier)),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]

    def as_po(self) -> bytes:
        """The file in which people translate."""
        file = io.BytesIO()
        write_po(file, self, width=120, sort_by_file=True, include_lineno=False)
        return file.getvalue()

    def as_mo(self) -> bytes:
        """The file that Django reads."""
        file = io.BytesIO()
        write_mo(file, self)
        return file.getvalue()


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def translated(language: str) -> Catalog:
    """What people have translated."""
    with po_file(language).open("rb") as file:
        return read_po(file, locale=language)


def translations(language: str, texts: Mapping[Text, list[str]], known: Catalog) -> Translations:
    """The `texts`, each with the translation that is `known`, or with none."""
    result = Translations(language)
    for text, files in texts.items():
        message = known.get(text)
        string = message.string if message is not None and message.id == text else ""
        result.add(text, string, locations=[(file, 0) for file in files])
    return result


def strings(text: Any) -> Sequence[str]:
    """What a text or its translation says: one string, or one for each number."""
    return [text] if isinstance(text, str) else list(text)


def update() -> None:
    """Bring the files of all languages up to date, and report how many texts of each are not translated."""
    texts = used()
    for language in LANGUAGES:
        result = translations(language, texts, translated(language))
        po_file(language).write_bytes(result.as_po())
        po_file(language).with_suffix(".mo").write_bytes(result.as_mo())
        missing = sum(not all(strings(message.string)) for message in result if message.id)
        sys.stdout.write(f"{language}: {len(result)} texts, {missing} of them without a translation\n")


if __name__ == "__main__":
    update()
