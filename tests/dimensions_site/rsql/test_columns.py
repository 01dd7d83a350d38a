"""Model fields of the filter language in migrations."""

from django.db import models
from django.db.migrations.writer import MigrationWriter

from dimensions_site.rsql.fields import CodePointTextField


def test_a_code_point_column_is_written_into_migrations_without_a_collation() -> None:
    """So that one migration serves both databases."""
    text, imports = MigrationWriter.serialize(CodePointTextField(null=True))

    assert text == "dimensions_site.rsql.fields.CodePointTextField(null=True)"
    assert imports == {"import dimensions_site.rsql.fields"}


def test_a_code_point_column_is_a_text_column() -> None:
    """Forms, serializers and lookups treat it as such."""
    assert isinstance(CodePointTextField(), models.TextField)
