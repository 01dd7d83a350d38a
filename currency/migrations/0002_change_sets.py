"""Versions of currencies get change sets, and become a model of the service."""

from django.db import migrations

from dimensions_site.changes.earlier_versions import own_versions


class Migration(migrations.Migration):
    dependencies = [("currency", "0001_initial"), ("changes", "0001_initial")]

    operations = [*own_versions("currency", "Currency")]
