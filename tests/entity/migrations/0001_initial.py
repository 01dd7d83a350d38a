import django.db.models.deletion
from django.db import migrations, models

import dimensions_site.elements.models
import dimensions_site.rsql.columns
from dimensions_site.elements.reading.searching import search_index


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("changes", "0001_initial"),
        ("repositories", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Entity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("element_id", dimensions_site.rsql.columns.CodePointTextField(verbose_name="id")),
                ("descriptions", models.JSONField(encoder=dimensions_site.elements.models.WireJSONEncoder)),
                ("update_user", dimensions_site.rsql.columns.CodePointTextField(editable=False)),
                ("update_date", models.DateTimeField(editable=False)),
                (
                    "update_origin",
                    dimensions_site.rsql.columns.CodePointTextField(
                        choices=[("INPUT_WEB", "REST API or admin"), ("IMPORT", "imported file")], editable=False
                    ),
                ),
                (
                    "method",
                    dimensions_site.rsql.columns.CodePointTextField(choices=[("FULL", "Full"), ("EQUITY", "Equity")]),
                ),
                ("share", dimensions_site.rsql.columns.CodePointTextField(null=True)),
                ("is_active", models.BooleanField(null=True)),
                ("parent_id", dimensions_site.rsql.columns.CodePointTextField(null=True)),
                ("currency", models.JSONField(encoder=dimensions_site.elements.models.WireJSONEncoder, null=True)),
                (
                    "repository",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="repositories.repository",
                        verbose_name="repository",
                    ),
                ),
            ],
            options={
                "verbose_name": "entity",
                "verbose_name_plural": "entities",
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(fields=("repository", "element_id"), name="entity_id_in_repository")
                ],
            },
        ),
        migrations.CreateModel(
            name="EntityVersion",
            fields=[
                ("element_id", dimensions_site.rsql.columns.CodePointTextField(verbose_name="id")),
                ("descriptions", models.JSONField(encoder=dimensions_site.elements.models.WireJSONEncoder)),
                ("update_user", dimensions_site.rsql.columns.CodePointTextField(editable=False)),
                ("update_date", models.DateTimeField(editable=False)),
                (
                    "update_origin",
                    dimensions_site.rsql.columns.CodePointTextField(
                        choices=[("INPUT_WEB", "REST API or admin"), ("IMPORT", "imported file")], editable=False
                    ),
                ),
                ("number", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "change",
                    models.CharField(choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1),
                ),
                ("id", models.BigIntegerField()),
                (
                    "method",
                    dimensions_site.rsql.columns.CodePointTextField(choices=[("FULL", "Full"), ("EQUITY", "Equity")]),
                ),
                ("share", dimensions_site.rsql.columns.CodePointTextField(null=True)),
                ("is_active", models.BooleanField(null=True)),
                ("parent_id", dimensions_site.rsql.columns.CodePointTextField(null=True)),
                ("currency", models.JSONField(encoder=dimensions_site.elements.models.WireJSONEncoder, null=True)),
                (
                    "change_set",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="changes.changeset",
                    ),
                ),
                (
                    "repository",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="repositories.repository",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        fields=["repository", "element_id", "number", "change_set"], name="entityversion_of_element"
                    ),
                    models.Index(
                        condition=models.Q(("change", "-")),
                        fields=["repository", "element_id", "number"],
                        name="entityversion_deletions",
                    ),
                ],
            },
        ),
        search_index("entity_entity"),
    ]
