"""Release 1. Each release has one of these, and its other migrations depend on it (design/deployment.md)."""

from django.db import migrations


class Migration(migrations.Migration):
    initial = True
    operations = []
