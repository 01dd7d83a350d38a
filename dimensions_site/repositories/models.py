"""The tenant and who may enter it."""

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from rest_framework_api_key.models import AbstractAPIKey

from dimensions_site.rsql.columns import CodePointTextField

DB_ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
LANGUAGE_PATTERN = r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*"  # contract C3


class Repository(models.Model):
    """A database of the application, addressed by `{dbID}`: the tenant.

    Every element belongs to exactly one repository, and every route of the REST API runs inside one.
    """

    db_id = CodePointTextField(
        "dbID",
        unique=True,
        validators=[
            RegexValidator(
                rf"\A{DB_ID_PATTERN}\Z",
                "A dbID has 1 to 64 letters, digits, `_`, `.` or `-` and begins with a letter or a digit.",
            )
        ],
        help_text="The name of the repository in the address of every REST call. It cannot be changed later.",
    )
    name = models.CharField(max_length=200, help_text="The name that people see.")
    default_language = models.CharField(
        max_length=35,
        default="en",
        validators=[RegexValidator(rf"\A{LANGUAGE_PATTERN}\Z", "A language is written like `en` or `de-CH`.")],
        help_text="The language of `description`, the text in the default language.",
    )
    api_enabled = models.BooleanField(
        "REST API enabled",
        default=True,
        help_text="When switched off, every REST call to this repository is refused with 403 (contract G3).",
    )

    class Meta:
        verbose_name_plural = "repositories"
        ordering = ["db_id"]

    def __str__(self) -> str:
        return f"{self.db_id} ({self.name})"


class Dimension(models.TextChoices):
    """What a grant covers: one dimension of the repository or all of them."""

    ALL = "all", "all dimensions"
    CURRENCY = "currency", "currency"
    ACCOUNT = "account", "account"


class Role(models.IntegerChoices):
    """What a grant allows; a greater role includes the smaller ones (contract G2)."""

    READER = 1, "reader"
    EDITOR = 2, "editor"
    MANAGER = 3, "manager"


class AccessGrant(models.Model):
    """Gives a user or a group a role in one repository, for one dimension or all (contract G2)."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="grants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="access_grants"
    )
    group = models.ForeignKey(
        "auth.Group", on_delete=models.CASCADE, null=True, blank=True, related_name="access_grants"
    )
    dimension = models.CharField(max_length=20, choices=Dimension.choices, default=Dimension.ALL)
    role = models.PositiveSmallIntegerField(choices=Role.choices, default=Role.READER)

    class Meta:
        ordering = ["repository", "user", "group", "dimension"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False, group__isnull=True)
                | models.Q(user__isnull=True, group__isnull=False),
                name="grant_to_user_or_group",
                violation_error_message="A grant goes to a user or to a group, to exactly one of them.",
            ),
            models.UniqueConstraint(
                fields=["repository", "user", "dimension"],
                condition=models.Q(user__isnull=False),
                name="one_grant_per_user_and_dimension",
                violation_error_message="The user has a grant for this dimension already; change that one.",
            ),
            models.UniqueConstraint(
                fields=["repository", "group", "dimension"],
                condition=models.Q(group__isnull=False),
                name="one_grant_per_group_and_dimension",
                violation_error_message="The group has a grant for this dimension already; change that one.",
            ),
        ]

    def __str__(self) -> str:
        role, dimension = self.get_role_display(), self.get_dimension_display()
        return f"{self.user or self.group}: {role} of {dimension} in {self.repository.db_id}"


class ApiKey(AbstractAPIKey):
    """A key with which a program calls the REST API as its user; only its hash is stored (contract G1)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_keys")

    class Meta(AbstractAPIKey.Meta):
        verbose_name = "API key"
        verbose_name_plural = "API keys"
