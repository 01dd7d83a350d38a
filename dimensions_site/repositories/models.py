"""The tenant and who may enter it."""

from axes.models import AccessAttempt
from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
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
                _("A dbID has 1 to 64 letters, digits, `_`, `.` or `-` and begins with a letter or a digit."),
            )
        ],
        help_text=_("The name of the repository in the address of every REST call. It cannot be changed later."),
    )
    name = models.CharField(_("name"), max_length=200, help_text=_("The name that people see."))
    default_language = models.CharField(
        _("default language"),
        max_length=35,
        default="en",
        validators=[RegexValidator(rf"\A{LANGUAGE_PATTERN}\Z", _("A language is written like `en` or `de-CH`."))],
        help_text=_("The language of the description that lists show."),
    )
    api_enabled = models.BooleanField(
        _("REST API enabled"),
        default=True,
        help_text=_("When switched off, every REST call to this repository is refused; this administration is not."),
    )

    class Meta:
        verbose_name = _("repository")
        verbose_name_plural = _("repositories")
        ordering = ["db_id"]

    def __str__(self) -> str:
        return f"{self.db_id} ({self.name})"


class Dimension(models.TextChoices):
    """What a grant covers: one dimension of the repository or all of them."""

    ALL = "all", _("all dimensions")
    CURRENCY = "currency", _("currency")
    ACCOUNT = "account", _("account")


DIMENSIONS = tuple(dimension for dimension in Dimension if dimension is not Dimension.ALL)


class Role(models.IntegerChoices):
    """What a grant allows; a greater role includes the smaller ones (contract G2)."""

    READER = 1, _("reader")
    EDITOR = 2, _("editor")
    MANAGER = 3, _("manager")


class AccessGrant(models.Model):
    """Gives a user or a group a role in one repository, for one dimension or all (contract G2)."""

    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, verbose_name=_("repository"), related_name="grants"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        verbose_name=_("user"),
        null=True,
        blank=True,
        related_name="access_grants",
    )
    group = models.ForeignKey(
        "auth.Group",
        on_delete=models.CASCADE,
        verbose_name=_("group"),
        null=True,
        blank=True,
        related_name="access_grants",
    )
    dimension = models.CharField(_("dimension"), max_length=20, choices=Dimension.choices, default=Dimension.ALL)
    role = models.PositiveSmallIntegerField(_("role"), choices=Role.choices, default=Role.READER)

    class Meta:
        verbose_name = _("access grant")
        verbose_name_plural = _("access grants")
        ordering = ["repository", "user", "group", "dimension"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False, group__isnull=True)
                | models.Q(user__isnull=True, group__isnull=False),
                name="grant_to_user_or_group",
                violation_error_message=_("A grant goes to a user or to a group, to exactly one of them."),
            ),
            models.UniqueConstraint(
                fields=["repository", "user", "dimension"],
                condition=models.Q(user__isnull=False),
                name="one_grant_per_user_and_dimension",
                violation_error_message=_("The user has a grant for this dimension already; change that one."),
            ),
            models.UniqueConstraint(
                fields=["repository", "group", "dimension"],
                condition=models.Q(group__isnull=False),
                name="one_grant_per_group_and_dimension",
                violation_error_message=_("The group has a grant for this dimension already; change that one."),
            ),
        ]

    def __str__(self) -> str:
        role, dimension = self.get_role_display(), self.get_dimension_display()
        told = {"who": self.user or self.group, "role": role, "what": dimension, "where": self.repository.db_id}
        return gettext("%(who)s: %(role)s of %(what)s in %(where)s") % told


class ApiKey(AbstractAPIKey):
    """A key with which a program calls the REST API as its user; only its hash is stored (contract G1)."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, verbose_name=_("user"), related_name="api_keys"
    )
    last_used_at = models.DateTimeField(
        _("last used"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("By the minute; empty when it was never used."),
    )
    role = models.PositiveSmallIntegerField(
        _("greatest role"),
        choices=Role.choices,
        default=Role.MANAGER,
        help_text=_("What the grants of the user allow beyond that, this key does not."),
    )
    dimension = models.CharField(
        _("dimension"),
        max_length=20,
        choices=Dimension.choices,
        default=Dimension.ALL,
        help_text=_("Calls for another dimension are refused."),
    )
    # Stored, not told from the list: a key whose last repository is deleted opens nothing then, never everything.
    is_limited = models.BooleanField(
        _("only certain repositories"),
        default=False,
        help_text=_("Without this mark the key opens every repository that its user may enter."),
    )
    repositories = models.ManyToManyField(
        Repository,
        verbose_name=_("repositories"),
        blank=True,
        related_name="api_keys",
        help_text=_("The only repositories that a key with that mark opens; if none is left, it opens nothing."),
    )

    class Meta:
        ordering = ("-created",)
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def allows(self) -> str:
        """What the key allows at most, for people; each key is asked for its repositories."""
        role, dimension = self.get_role_display(), self.get_dimension_display()
        where = ", ".join(repository.db_id for repository in self.repositories.all()) or gettext("no repository")
        told = {"role": role, "what": dimension, "where": where if self.is_limited else gettext("all repositories")}
        return gettext("%(role)s of %(what)s in %(where)s") % told


class WriteCount(models.Model):
    """How often elements of a repository have been written, where there is a replica; `repositories/write_counts.py`.

    Each transaction adds one, to one of several rows, so that two of them seldom wait for each other.
    """

    pk = models.CompositePrimaryKey("repository_id", "slot")
    # Of a repository that is deleted it stays: nothing else gets its number.
    repository = models.ForeignKey(
        Repository, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    slot = models.PositiveSmallIntegerField()
    writes = models.PositiveBigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.repository_id}/{self.slot}: {self.writes}"


class WrongPassword(AccessAttempt):
    """The wrong passwords for a user name from an address, as django-axes keeps them; no password is among it."""

    class Meta:
        proxy = True
        ordering = ["-attempt_time"]
        verbose_name = _("failed sign-in")
        verbose_name_plural = _("failed sign-ins")

    def __str__(self) -> str:
        return f"{self.username} ({self.ip_address})"


# The library has names for its fields in English only.
_WORDS = {"name": _("name"), "prefix": _("prefix"), "revoked": _("revoked")}
for _field in ApiKey._meta.concrete_fields:
    _field.verbose_name = _WORDS.get(_field.name, _field.verbose_name)
