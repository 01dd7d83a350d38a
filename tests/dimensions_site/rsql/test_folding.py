"""Case folding, which is the same in Python and in the database."""

import sys
import unicodedata

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dimensions_site.rsql.apps import fold
from dimensions_site.rsql.expressions import Fold
from tests.dimensions_site.rsql import strategies
from tests.dimensions_site.rsql.sample.models import Sample


@pytest.mark.contract("D2", "P2")
def test_python_and_the_database_fold_every_character_alike(sample_table: None, db: None) -> None:
    """All of Unicode but NUL and halves of surrogate pairs, which no database stores, one character a line.

    A server with another Unicode than Python's may lack letters: then one side leaves as it is what the other changes.
    """
    characters = [chr(point) for point in range(1, sys.maxunicode + 1) if not 0xD800 <= point < 0xE000]
    characters.remove("\n")
    Sample.objects.create(code="all", note="\n".join(characters))

    folded = Sample.objects.values_list(Fold("note"), flat=True).get().split("\n")

    has_same_unicode = _unicode_of_server() in (None, unicodedata.unidata_version.removesuffix(".0"))
    different = [
        f"U+{ord(character):04X}"
        for character, there in zip(characters, folded, strict=True)
        if there != fold(character) and (has_same_unicode or character not in (there, fold(character)))
    ]
    assert different == []


def _unicode_of_server() -> str | None:
    """Return the version of Unicode that the server's ICU knows; None before PostgreSQL 17 and on SQLite."""
    if connection.vendor == "sqlite" or connection.pg_version < 170000:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT icu_unicode_version()")
        return str(cursor.fetchone()[0])


@pytest.mark.contract("D2")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(strategies.texts, min_size=1, max_size=20))
def test_python_and_the_database_fold_every_text_alike(sample_table: None, db: None, texts: list[str]) -> None:
    """Also where the case of a letter depends on its neighbours, as the sigma at the end of a word does."""
    Sample.objects.all().delete()
    Sample.objects.bulk_create(Sample(code=text) for text in texts)

    folded = Sample.objects.order_by("pk").values_list(Fold("code"), flat=True)

    assert list(folded) == [fold(text) for text in texts]


@pytest.mark.contract("D2")
def test_a_missing_text_stays_missing(sample_table: None, db: None) -> None:
    """NULL is not a text that could be folded."""
    Sample.objects.create(code="A")

    assert Sample.objects.values_list(Fold("note"), flat=True).get() is None
