"""SQL values inside JSON columns, and code points."""

from typing import Any

import pytest
from django.db import connection, models
from django.db.migrations.writer import MigrationWriter
from django.db.models import BooleanField, Expression, Func, TextField, Value

from dimensions_site.rsql.conditions import AnyEntry, EntryText
from dimensions_site.rsql.expressions import DecimalKey, Fold, JsonLeaf, MapEntry
from dimensions_site.rsql.fields import CodePointTextField, ValueKind
from tests.dimensions_site.rsql.sample.models import Sample

KEYS = (
    "en",
    "de_CH",
    'q"uote',
    "it's",
    "back\\slash",
    "ключ",
    "a.b",
    "$",
    "$.en",
    "0",
    "#-1",
    "",
    "😀",
    "100%",
    "%s",
    "?",
)


@pytest.mark.contract("D3")
@pytest.mark.parametrize("key", KEYS)
def test_any_key_of_a_map_finds_its_own_text(sample_table: None, db: None, key: str) -> None:
    """Whatever the key means to a database's own language of paths."""
    Sample.objects.create(code="A", names={other: f"text of {other}" for other in KEYS})
    Sample.objects.create(code="B", names={other: f"text of {other}" for other in KEYS if other != key})
    entry = MapEntry("names", key)

    assert list(Sample.objects.filter(code="A").values_list(entry, flat=True)) == [f"text of {key}"]
    assert list(Sample.objects.alias(entry=entry).filter(entry=f"text of {key}").values_list("code", flat=True)) == [
        "A"
    ]
    assert list(Sample.objects.alias(entry=entry).filter(entry=None).values_list("code", flat=True)) == ["B"]


@pytest.mark.contract("C3")
@pytest.mark.parametrize("names", [None, {}, {"en": None}])
def test_a_null_entry_and_a_missing_one_are_null(sample_table: None, db: None, names: dict[str, Any] | None) -> None:
    """As is every entry of a map that is itself missing."""
    Sample.objects.create(code="A", names=names)

    assert Sample.objects.values_list(MapEntry("names", "en"), flat=True).get() is None


@pytest.mark.parametrize(
    ("bundle", "label", "strict"),
    [
        ({"label": "Lé😀", "limits": {"strict": True}}, "Lé😀", True),
        ({"label": "", "limits": {"strict": False}}, "", False),
        ({"label": None, "limits": {"strict": None}}, None, None),
        ({"limits": None}, None, None),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_a_leaf_of_a_bundle_is_a_text_or_a_boolean_or_null(
    sample_table: None, db: None, bundle: dict[str, Any] | None, label: str | None, strict: bool | None
) -> None:
    """Null too when a group around it is null or missing."""
    Sample.objects.create(code="A", bundle=bundle)
    leaves = JsonLeaf("bundle", ("label",), ValueKind.TEXT), JsonLeaf("bundle", ("limits", "strict"), ValueKind.BOOLEAN)

    assert Sample.objects.values_list(*leaves).get() == (label, strict)


@pytest.mark.parametrize("path", [(), ("",), ("a b",), ("a'",), ("a.b",), ("é",)])
def test_a_path_that_is_not_made_of_identifiers_is_refused(path: tuple[str, ...]) -> None:
    """It becomes part of the SQL as it is, so it must not come from a client."""
    with pytest.raises(ValueError, match="is not made of identifiers"):
        JsonLeaf("bundle", path, ValueKind.TEXT)


def test_a_leaf_that_is_neither_text_nor_truth_is_refused() -> None:
    """JSON has no decimal that keeps its digits."""
    with pytest.raises(ValueError, match="not of kind decimal"):
        JsonLeaf("bundle", ("a",), ValueKind.DECIMAL)


@pytest.mark.contract("D5")
def test_a_text_column_is_made_to_sort_by_code_point(sample_table: None, db: None) -> None:
    """Whatever the collation of the database: on PostgreSQL, whose default may be that of a language."""
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, Sample._meta.db_table)

    collations = {column.name: column.collation for column in columns}
    assert collations["code"] == collations["note"] == ("C" if connection.vendor == "postgresql" else None)


if connection.vendor == "postgresql":  # SQLite has one collation for texts of JSON

    @pytest.mark.contract("D5")
    def test_texts_inside_json_have_the_collation_of_code_points(sample_table: None, db: None) -> None:
        """A database with the collation of a language would sort them by it, and so other than SQLite."""
        Sample.objects.create(code="A", names={"en": "text"}, bundle={"label": "text"}, amount="1")
        entry_has_it = Func(
            _collation_of(EntryText()),
            Value('"C"'),
            template="%(expressions)s",
            arg_joiner=" = ",
            output_field=BooleanField(),
        )
        values = (
            MapEntry("names", "en"),
            JsonLeaf("bundle", ("label",), ValueKind.TEXT),
            DecimalKey("amount"),
            Fold("code"),
        )

        assert set(Sample.objects.values_list(*map(_collation_of, values)).get()) == {'"C"'}
        assert Sample.objects.filter(AnyEntry("names", entry_has_it)).exists()


def _collation_of(text: Expression) -> Func:
    return Func(text, function="PG_COLLATION_FOR", output_field=TextField())


@pytest.mark.contract("D4")
def test_the_database_makes_the_sort_key_of_every_decimal(sample_table: None, db: None) -> None:
    """The keys have equal length and the order of the numbers; a word is its own key."""
    numbers = ["-999999999999999.9999999999", "-0.5", "0", "0.0000000001", "1", "999999999999999.9999999999"]
    for number in (*numbers, "true"):
        Sample.objects.create(code=number, amount=number)

    keys = list(Sample.objects.order_by("pk").values_list(DecimalKey("amount"), flat=True))

    assert keys == sorted(keys)
    assert keys[0] == "1".zfill(26)
    assert keys[2] == "1" + "0" * 25
    assert keys[-1] == "true"


def test_a_code_point_column_is_written_into_migrations_without_a_collation() -> None:
    """So that one migration serves both databases."""
    text, imports = MigrationWriter.serialize(CodePointTextField(null=True))

    assert text == "dimensions_site.rsql.fields.CodePointTextField(null=True)"
    assert imports == {"import dimensions_site.rsql.fields"}


def test_a_code_point_column_is_a_text_column() -> None:
    """Forms, serializers and lookups treat it as such."""
    assert isinstance(CodePointTextField(), models.TextField)
