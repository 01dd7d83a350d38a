# oauth2_provider's first migration depends on the application model, which is the one of this app: what refers to
# oauth2_provider in turn is in 0002.

import uuid

import django.db.models.deletion
import oauth2_provider.generators
import oauth2_provider.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
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
        migrations.CreateModel(
            name="ProviderAccount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "issuer",
                    models.CharField(
                        help_text="The address of the provider, as in the setting OIDC_ISSUER.",
                        max_length=255,
                        verbose_name="issuer",
                    ),
                ),
                (
                    "subject",
                    models.CharField(
                        help_text="The lasting id of the person at the provider, which it sends as sub.",
                        max_length=255,
                        verbose_name="subject",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="provider_accounts",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "company account",
                "verbose_name_plural": "company accounts",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="ProviderGroup",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="Exactly as the provider sends it: Entra ID sends the object id, Keycloak the path. At each sign-in, its members join this group, and others leave it.",
                        max_length=255,
                        verbose_name="name at the provider",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="provider_groups",
                        to="auth.group",
                        verbose_name="group",
                    ),
                ),
            ],
            options={
                "verbose_name": "group at the provider",
                "verbose_name_plural": "groups at the provider",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="ProviderSession",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("sid", models.CharField(db_index=True, max_length=255)),
                ("sealed", models.TextField()),
                ("checked_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to="tokens.provideraccount",
                    ),
                ),
            ],
            options={
                "default_permissions": (),
            },
        ),
        migrations.AddConstraint(
            model_name="provideraccount",
            constraint=models.UniqueConstraint(fields=("issuer", "subject"), name="tokens_provideraccount_unique"),
        ),
        migrations.AddConstraint(
            model_name="providergroup",
            constraint=models.UniqueConstraint(fields=("group", "name"), name="tokens_providergroup_unique"),
        ),
    ]
