# oauth2_provider's first migration depends on the application model, which is the one of this app: what refers to
# oauth2_provider in turn is in 0002.

import django.db.models.deletion
import oauth2_provider.generators
import oauth2_provider.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="UsedToken",
            fields=[
                ("jti", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
            options={
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="TokenGeneration",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="token_generation",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                ("number", models.PositiveIntegerField(default=0, verbose_name="number")),
            ],
            options={
                "verbose_name": "generation of tokens",
                "verbose_name_plural": "generations of tokens",
            },
        ),
        migrations.CreateModel(
            name="Application",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "client_id",
                    models.CharField(
                        db_index=True,
                        default=oauth2_provider.generators.generate_client_id,
                        max_length=255,
                        unique=True,
                        verbose_name="client ID",
                    ),
                ),
                (
                    "post_logout_redirect_uris",
                    models.TextField(
                        blank=True,
                        default="",
                        help_text="Allowed Post Logout URIs list, space separated",
                        verbose_name="post logout redirect URIs",
                    ),
                ),
                (
                    "client_secret",
                    oauth2_provider.models.ClientSecretField(
                        blank=True,
                        db_index=True,
                        default=oauth2_provider.generators.generate_client_secret,
                        help_text="Client secret for authentication",
                        max_length=255,
                        verbose_name="client secret",
                    ),
                ),
                ("hash_client_secret", models.BooleanField(default=True, verbose_name="hash client secret")),
                ("skip_authorization", models.BooleanField(default=False, verbose_name="skip authorization")),
                ("created", models.DateTimeField(auto_now_add=True, verbose_name="created")),
                ("updated", models.DateTimeField(auto_now=True, verbose_name="updated")),
                (
                    "algorithm",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "No OIDC support"),
                            ("RS256", "RSA with SHA-2 256"),
                            ("HS256", "HMAC with SHA-2 256"),
                        ],
                        default="",
                        max_length=5,
                        verbose_name="algorithm",
                    ),
                ),
                (
                    "allowed_origins",
                    models.TextField(
                        blank=True,
                        default="",
                        help_text="Allowed origins list to enable CORS, space separated",
                        verbose_name="allowed origins",
                    ),
                ),
                (
                    "registration_source",
                    models.CharField(
                        choices=[
                            ("manual", "Manual"),
                            ("dcr", "Dynamic Client Registration"),
                            ("cimd", "Client ID Metadata Document"),
                        ],
                        default="manual",
                        help_text="How this application was registered (manual, DCR per RFC 7591, or CIMD)",
                        max_length=32,
                        verbose_name="registration source",
                    ),
                ),
                (
                    "cimd_expires_at",
                    models.DateTimeField(
                        blank=True,
                        default=None,
                        help_text="When the cached Client ID Metadata Document should be re-fetched",
                        null=True,
                        verbose_name="CIMD expires at",
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="People see it when they are asked for access.", max_length=100, verbose_name="name"
                    ),
                ),
                (
                    "authorization_grant_type",
                    models.CharField(
                        choices=[
                            ("client-credentials", "Client credentials: the program acts as its user"),
                            ("authorization-code", "Authorization code: it acts for whoever signs in"),
                        ],
                        max_length=44,
                        verbose_name="how it gets tokens",
                    ),
                ),
                (
                    "client_type",
                    models.CharField(
                        choices=[
                            ("confidential", "Confidential: it can keep a secret, as a server can"),
                            ("public", "Public: it runs on machines of people, and has no secret"),
                        ],
                        default="confidential",
                        max_length=32,
                        verbose_name="kind of program",
                    ),
                ),
                (
                    "redirect_uris",
                    models.TextField(
                        blank=True,
                        help_text="Where a browser returns with the code, one address per line: https, or http on the machine itself. For the authorization code only.",
                        verbose_name="redirect addresses",
                    ),
                ),
                (
                    "may_introspect",
                    models.BooleanField(
                        default=False,
                        help_text="For a service that is called with tokens of other applications: it may look up their users and scopes. Any application may look up its own.",
                        verbose_name="may ask about tokens of others",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(app_label)s_%(class)s",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "application",
                "verbose_name_plural": "applications",
                "ordering": ["name", "pk"],
            },
        ),
    ]
