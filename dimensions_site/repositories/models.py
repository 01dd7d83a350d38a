"""Repositories (the tenants), and who has access to them."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dimensions_site.repositories.dimensions import ALL, access_choices
from dimensions_site.repositories.secret_keys import SecretKey
from dimensions_site.rsql.fields import CodePointTextField
from dimensions_site.text.formats import named_value

DB_ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
LANGUAGE_PATTERN = r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*"  # contract C3


class ApprovalSwitch(models.TextChoices):
    """What needs the approval of a second person in a dimension of a repository (contract O2)."""

    NONE = "none", _("nothing")
    DELETIONS = "deletions", _("deletions")
    ALL = "all", _("every change")

    def requires(self, *, deletes: bool) -> bool:
        """Return whether a change needs an approval; `deletes` says whether it deletes elements."""
        return self is ApprovalSwitch.ALL or (deletes and self is ApprovalSwitch.DELETIONS)


class Repository(models.Model):
    """A database of the application, addressed by `{dbID}`: the tenant.

    Every element belongs to exactly one repository, and every route of the REST API is about one.
    """

    db_id = CodePointTextField(
        _("short name (dbID)"),
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
        help_text=_(
            "When switched off, every REST call to this repository is refused; the administration keeps working."
        ),
    )

    requires_reason = models.BooleanField(
        _("reason required"),
        default=False,
        help_text=_("When switched on, nothing is saved in this repository without the reason for it."),
    )

    # The switches of dimensions, of which those without an entry are `none`. It answers for pages and early refusals;
    # what decides is in the slots of change sets, so only `changes.requirements.set_approval` writes it.
    approval: "models.JSONField[Any, Any]" = models.JSONField(
        _("approval"), default=dict, db_default={}, editable=False
    )

    # Of a copy: the dbID of the repository that it was copied from, which may be gone, and the Sync-Token of that one's
    # state by dimension.
    base = CodePointTextField(_("copied from"), null=True, editable=False)
    base_states: "models.JSONField[Any, Any]" = models.JSONField(null=True, editable=False)

    class Meta:
        verbose_name = _("repository")
        verbose_name_plural = _("repositories")
        ordering = ["db_id"]

    def __str__(self) -> str:
        return f"{self.db_id} ({self.name})"

    def approval_of(self, dimension: str) -> ApprovalSwitch:
        """Return what needs approval in the `dimension` (contract O2)."""
        return ApprovalSwitch(self.approval.get(dimension, ApprovalSwitch.NONE))


class Role(models.IntegerChoices):
    """The role of a grant; a higher role includes the lower ones (contract G2)."""

    READER = 1, _("reader")
    PROPOSER = 2, _("proposer")
    EDITOR = 3, _("editor")
    MANAGER = 4, _("manager")

    @property
    def permits(self) -> str:
        """What the role permits beyond the lower ones, in words for people."""
        return str(_PERMITS[self])

    @classmethod
    def explained_choices(cls) -> list[tuple[int, str]]:
        """Return the choices of a field, each role with what it permits."""
        return [(role.value, named_value(role.label, role.permits)) for role in cls]


# Pages and documents quote these sentences; `tests/docs/test_docs_roles.py` compares them.
_PERMITS = {
    Role.READER: _("sees accounts and currencies and their history, compares and exports them."),
    Role.PROPOSER: _("also makes change proposals, also such that delete, and withdraws their own; changes nothing."),
    Role.EDITOR: _(
        "also creates, changes, restores and imports them, and decides on and applies change proposals that delete "
        "nothing."
    ),
    Role.MANAGER: _(
        "also deletes them, applies imports that delete, decides on and applies change proposals that delete, and "
        "stops the deletions and imports of others."
    ),
}


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
    dimension = models.CharField(_("kind"), max_length=20, choices=access_choices, default=ALL)
    role = models.PositiveSmallIntegerField(_("role"), choices=Role.choices, default=Role.READER)

    class Meta:
        verbose_name = _("permission")
        verbose_name_plural = _("permissions")
        ordering = ["repository", "user", "group", "dimension"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False, group__isnull=True)
                | models.Q(user__isnull=True, group__isnull=False),
                name="grant_to_user_or_group",
                violation_error_message=_("A permission needs either a user or a group, and not both."),
            ),
            models.UniqueConstraint(
                fields=["repository", "user", "dimension"],
                condition=models.Q(user__isnull=False),
                name="one_grant_per_user_and_dimension",
                violation_error_message=_("The user has a permission for this already; change that one."),
            ),
            models.UniqueConstraint(
                fields=["repository", "group", "dimension"],
                condition=models.Q(group__isnull=False),
                name="one_grant_per_group_and_dimension",
                violation_error_message=_("The group has a permission for this already; change that one."),
            ),
        ]

    def __str__(self) -> str:
        return named_value(self.user or self.group, self.permitted())

    def permitted(self) -> str:
        """Return what the grant permits, without whom."""
        return rights_in_words(self.get_role_display(), self.get_dimension_display(), self.repository.db_id)


class ApiKey(SecretKey):
    """A key with which a program calls the REST API as its user; only its hash is stored (contract G1)."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, verbose_name=_("user"), related_name="api_keys"
    )
    last_used_at = models.DateTimeField(
        _("last used"),
        null=True,
        blank=True,
        editable=False,
        help_text=_("To the minute; empty if the key was never used."),
    )
    role = models.PositiveSmallIntegerField(
        _("highest role"),
        choices=Role.choices,
        default=Role.MANAGER,
        help_text=_("The key does not allow more, even if the permissions of its user do."),
    )
    dimension = models.CharField(
        _("kind"),
        max_length=20,
        choices=access_choices,
        default=ALL,
        help_text=_("Calls for anything else are refused."),
    )
    # Stored, not derived from the list: a key whose last repository is deleted must permit nothing, not everything.
    is_limited = models.BooleanField(
        _("only certain repositories"),
        default=False,
        help_text=_("Without this mark the key gives access to every repository that its user has access to."),
    )
    repositories = models.ManyToManyField(
        Repository,
        verbose_name=_("repositories"),
        blank=True,
        related_name="api_keys",
        help_text=_(
            "The only repositories that a key with that mark gives access to; without any, it permits nothing."
        ),
    )

    class Meta:
        ordering = ("-created",)
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def allows(self) -> str:
        """Return the limits of the key for people; queries its repositories."""
        role, dimension = self.get_role_display(), self.get_dimension_display()
        if not self.is_limited:
            return gettext("%(role)s of %(what)s in all repositories") % {"role": role, "what": dimension}
        where = ", ".join(repository.db_id for repository in self.repositories.all())
        if not where:
            return gettext("%(role)s of %(what)s in no repository") % {"role": role, "what": dimension}
        return rights_in_words(role, dimension, where)


def rights_in_words(role: str, dimension: str, where: str) -> str:
    """Return what a grant or a key permits: a role, of a dimension or all, in repositories."""
    return gettext("%(role)s of %(what)s in %(where)s") % {"role": role, "what": dimension, "where": where}


class AccessChange(models.Model):
    """A change of access rights, kept for auditors: the service never changes or deletes it.

    Users and repositories are recorded by name, which outlives their rows.
    """

    at = models.DateTimeField(_("when"), default=timezone.now, db_index=True)
    # The user, or `manage.py` and the command, whose user is unknown.
    changed_by = CodePointTextField(_("changed by"))
    address = CodePointTextField(_("address"), null=True)
    request_id = CodePointTextField(_("request id"), null=True)
    # The name of the log event, such as `grant_created`.
    event = CodePointTextField(_("change"))
    # The current names of what was changed; `changes` has the old and new value of each changed field.
    subject = models.JSONField(_("of what"))
    changes = models.JSONField(_("before and after"), null=True)

    class Meta:
        ordering = ("-pk",)
        default_permissions = ()
        verbose_name = _("access change")
        verbose_name_plural = _("access changes")

    def __str__(self) -> str:
        return f"{self.event} {self.at:%Y-%m-%d %H:%M}"


class LoginFailures(models.Model):
    """The wrong passwords for a user name from an address, or from all addresses without a daily count of their own.

    An address from which the user has recently signed in has a daily count of its own; see
    `repositories/login/lockout.py`. Neither passwords nor anything else of a request is stored.
    """

    # The address of the record with the daily count of all other addresses.
    EVERYWHERE = ""
    # The period of daily failures, which is also the longest lockout.
    DAY = timedelta(days=1)

    name = models.CharField(_("user name"), max_length=150)
    address = models.CharField(_("address"), max_length=45, default=EVERYWHERE)
    # Consecutive failures, each within LOGIN_LOCKOUT_SECONDS of the one before.
    failures = models.PositiveIntegerField(_("wrong passwords"), default=0)
    failed_at = models.DateTimeField(_("last wrong password"), null=True)
    daily_failures = models.PositiveIntegerField(_("within a day"), default=0)
    day_began_at = models.DateTimeField(_("since"), default=timezone.now)
    succeeded_at = models.DateTimeField(_("last sign-in"), null=True)

    class Meta:
        ordering = ("-failed_at",)
        default_permissions = ("view",)
        verbose_name = _("failed sign-in")
        verbose_name_plural = _("failed sign-ins")
        constraints = (
            models.UniqueConstraint(fields=("name", "address"), name="login_failures_of_a_name_at_an_address"),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.address or gettext('all other addresses')})"

    def count(self, *, at_address: bool, of_day: bool) -> None:
        """Count a wrong password at the address, for the day, or for both; a count that has expired starts again."""
        now = timezone.now()
        if at_address:
            lockout = timedelta(seconds=settings.LOGIN_LOCKOUT_SECONDS)
            self.failures = self.failures + 1 if self.failed_at and self.failed_at >= now - lockout else 1
        if of_day and self.day_began_at > now - self.DAY:
            self.daily_failures += 1
        elif of_day:
            self.daily_failures, self.day_began_at = 1, now
        self.failed_at = now

    @property
    def locked_until(self) -> datetime | None:
        """Return the end of the lockout after too many consecutive failures; None without one."""
        if self.failed_at is None or self.failures < settings.LOGIN_ATTEMPTS:
            return None
        return _if_later(self.failed_at + timedelta(seconds=settings.LOGIN_LOCKOUT_SECONDS))

    @property
    def locked_for_day_until(self) -> datetime | None:
        """Return the end of the lockout after too many failures within a day; None without one."""
        if self.daily_failures < settings.LOGIN_ACCOUNT_ATTEMPTS:
            return None
        return _if_later(self.day_began_at + self.DAY)


def _if_later(moment: datetime) -> datetime | None:
    return moment if moment > timezone.now() else None
