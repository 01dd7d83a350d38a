"""The description that somebody reads: in their language, else in the repository's default language, else in any."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Func, QuerySet, TextField
from django.db.models.sql.compiler import SQLCompiler
from django.utils.translation import get_language

from dimensions_site.elements.declaration.indexes import SEARCHED
from dimensions_site.rsql.apps import fold
from dimensions_site.rsql.expressions import Alphabetical, Sql

Texts: TypeAlias = Mapping[str, str | None]

# Characters before the word in an excerpt of a long text.
_BEFORE = 40


def is_in(language: str, tag: str) -> bool:
    """Return whether a text with this `tag`, such as `de-AT`, is in the `language`, such as `de`."""
    return tag == language or tag.startswith((f"{language}-", f"{language}_"))


def preferred_text(texts: Texts, language: str, default: str) -> tuple[str, str]:
    """Return the description to show, with its language tag; two empty texts if all are blank."""
    ranked = (
        (tag != language, not is_in(language, tag), tag != default, tag, text)
        for tag, text in texts.items()
        if text and text.strip(" ")
    )
    *_, tag, text = min(ranked, default=("", ""))
    return tag, text


def preferred_texts(elements: QuerySet[Any], maximum: int, default: str) -> dict[str, str]:
    """Return the descriptions of the first `elements` in the language of the thread if they have one, by id."""
    language = (get_language() or default).partition("-")[0]
    first = elements.order_by("element_id").values_list("element_id", "descriptions")[:maximum]
    return {id: preferred_text(texts, language, default)[1] for id, texts in first}


class Preferred(Func):
    """The text that `preferred_text` returns, in SQL; `default` is the column with the default language."""

    output_field = TextField()

    def __init__(self, language: str, default: str) -> None:
        super().__init__(F(SEARCHED), F(default))
        self._language = language

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:  # type: ignore[override]
        """Return the first of four subqueries that finds a text; SQLite allows no other column in their ORDER BY."""
        (texts, of_texts), (default, of_default) = map(compiler.compile, self.source_expressions)
        is_postgresql = connection.vendor == "postgresql"
        entries = f"JSONB_EACH_TEXT({texts}) AS entry(key, value)" if is_postgresql else f"JSON_EACH({texts}) AS entry"
        order = 'entry.key COLLATE "C"' if is_postgresql else "entry.key"
        language = self._language
        conditions: tuple[Sql, ...] = (
            ("entry.key = %s", [language]),
            ("SUBSTR(entry.key, 1, %s) IN (%s, %s)", [len(language) + 1, f"{language}-", f"{language}_"]),
            (f"entry.key = {default}", of_default),
            ("TRUE", []),
        )
        select = f"SELECT entry.value FROM {entries} WHERE TRIM(entry.value) <> ''"
        found = (f"({select} AND {condition} ORDER BY {order} LIMIT 1)" for condition, _ in conditions)
        parameters = [one for _, own in conditions for one in (*of_texts, *own)]
        return f"COALESCE({', '.join(found)})", parameters


def alphabetical_order(language: str, default: str) -> Alphabetical:
    """Return the sort key of the shown descriptions, in the alphabet of the `language`."""
    return Alphabetical(Preferred(language, default), language)


def excerpts(texts: Texts, words: Sequence[str], seen: str) -> Iterator[tuple[str, str]]:
    """Yield the descriptions, with their tags, that have those of the `words` which are not in `seen` already.

    A long text begins shortly before the word.
    """
    folded = fold(seen)
    missing = [word for word in map(fold, words) if word not in folded]
    for tag, text in sorted(texts.items()):
        found = [fold(text).find(word) for word in missing if word in fold(text)] if text else []
        if found:
            missing = [word for word in missing if word not in fold(text or "")]
            start = max(0, min(found) - _BEFORE)
            yield tag, f"{'…' if start else ''}{(text or '')[start:]}"
