"""Versions of accounts get change sets, and become a model of the service."""

from django.db import migrations

from dimensions_site.changes.earlier_versions import own_versions


class Migration(migrations.Migration):
    dependencies = [("account", "0001_initial"), ("changes", "0001_initial")]

    operations = [*own_versions("account", "Account")]
