import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("oauth2_provider", "0022_refreshtoken_token_family_index"),
        ("tokens", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="FirstScope",
            fields=[
                (
                    "refresh_token",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="first_scope",
                        serialize=False,
                        to="oauth2_provider.refreshtoken",
                        verbose_name="refresh token",
                    ),
                ),
                ("scope", models.TextField(verbose_name="scopes")),
            ],
            options={
                "verbose_name": "scope that was granted at first",
                "verbose_name_plural": "scopes that were granted at first",
            },
        ),
        migrations.CreateModel(
            name="IssuedToken",
            fields=[],
            options={
                "verbose_name": "issued token",
                "verbose_name_plural": "issued tokens",
                "ordering": ["-created"],
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("oauth2_provider.accesstoken",),
        ),
    ]
