"""Indexes in which the elements that refer to an element are found (record 0056)."""

from django.db import migrations

from dimensions_site.elements.declaration.indexes import reference_steps

# The columns of the leaves that refer to an element, with their paths in JSON columns.
_LEAVES = (("reference_currency_id",),)


class Migration(migrations.Migration):
    dependencies = [("currency", "0002_change_sets")]

    operations = reference_steps("currency", *_LEAVES)
