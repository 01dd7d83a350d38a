"""Indexes in which the elements that refer to an element are found (record 0056)."""

from django.db import migrations

from dimensions_site.elements.declaration.indexes import reference_steps

# The columns of the leaves that refer to an element, with their paths in JSON columns.
_LEAVES = (
    ("parent_id",),
    ("currency", "id"),
)


class Migration(migrations.Migration):
    dependencies = [("entity", "0001_initial")]

    operations = reference_steps("entity", *_LEAVES)
