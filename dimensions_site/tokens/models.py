"""OAuth2 applications, and records of issued and ended tokens (contract G1)."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import AbstractApplication, AccessToken, ApplicationManager, RefreshToken

# Where a program on the user's own machine receives its code (RFC 8252, 7.3).
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Application(AbstractApplication):
    """A program that obtains tokens, for itself or for users who consent.

    The rules of `clean` apply to the admin page and to `manage.py createapplication`.
    """

    AUTHORIZATION_GRANTS = (
        (AbstractApplication.GRANT_CLIENT_CREDENTIALS, _("Client credentials: the program acts as its user")),
        (AbstractApplication.GRANT_AUTHORIZATION_CODE, _("Authorization code: it acts for whoever signs in")),
    )

    name = models.CharField(_("name"), max_length=100, help_text=_("People see it when they are asked for access."))
    authorization_grant_type = models.CharField(_("how it gets tokens"), max_length=44, choices=AUTHORIZATION_GRANTS)
    client_type = models.CharField(
        _("kind of program"),
        max_length=32,
        choices=(
            (AbstractApplication.CLIENT_CONFIDENTIAL, _("Confidential: it can keep a secret, as a server can")),
            (AbstractApplication.CLIENT_PUBLIC, _("Public: it runs on machines of people, and has no secret")),
        ),
        default=AbstractApplication.CLIENT_CONFIDENTIAL,
    )
    redirect_uris = models.TextField(
        _("redirect addresses"),
        blank=True,
        help_text=_(
            "Where a browser returns with the code, one address per line: https, or http on the machine itself. "
            "For the authorization code only."
        ),
    )

    may_introspect = models.BooleanField(
        _("may ask about tokens of others"),
        default=False,
        help_text=_(
            "For a service that is called with tokens of other applications: it may look up their users and scopes. "
            "Any application may look up its own."
        ),
    )

    objects = ApplicationManager()

    class Meta:
        verbose_name = _("application")
        verbose_name_plural = _("applications")
        ordering = ["name", "pk"]

    @property
    def get_absolute_url(self) -> Any:
        """Return no URL: the library's pages, to which its own method leads, do not exist here."""
        raise AttributeError("An application has no page beside that of the administration.")

    def get_allowed_schemes(self) -> list[str]:
        """Return the permitted schemes of redirect URIs; `clean` limits http to the local machine."""
        return ["https", "http"]

    def is_usable(self, request: Any) -> bool:
        """Return whether the application may obtain tokens: not if the user that it acts as is inactive."""
        return self.user is None or bool(self.user.is_active)

    def clean(self) -> None:
        errors: dict[str, list[Any]] = {}
        try:
            super().clean()
        except ValidationError as refusal:
            errors = refusal.error_dict
        for field, message in self._errors():
            errors.setdefault(field, []).append(ValidationError(message))
        if errors:
            raise ValidationError(errors)

    def _errors(self) -> Iterator[tuple[str, Any]]:
        if self.authorization_grant_type == self.GRANT_CLIENT_CREDENTIALS:
            if self.user_id is None:
                yield "user", _("A program that gets tokens for itself acts as a user: name one.")
            if self.client_type != self.CLIENT_CONFIDENTIAL:
                yield "client_type", _("A program that gets tokens for itself has to keep a secret.")
            if self.redirect_uris.strip():
                yield "redirect_uris", _("A program that gets tokens for itself needs no redirect addresses.")
        elif self.user_id is not None:
            yield "user", _("The program acts for whoever signs in: leave the user empty.")
        if self.may_introspect and self.client_type != self.CLIENT_CONFIDENTIAL:
            yield "may_introspect", _("Only a program that keeps a secret may ask about tokens of others.")
        if self.skip_authorization:
            yield "skip_authorization", _("Users are always asked for consent.")
        if not self.hash_client_secret:
            yield "hash_client_secret", _("Only the hash of the secret is stored.")
        for _uri in filter(_leaves_the_machine_in_clear, self.redirect_uris.split()):
            yield "redirect_uris", _("http is for 127.0.0.1, [::1] and localhost only; use https.")


def _leaves_the_machine_in_clear(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
    except ValueError:  # the library reports invalid URIs itself
        return False
    return parts.scheme == "http" and parts.hostname not in _LOOPBACK


# The library's names of the other fields are for developers, and not translated well.
_WORDS = {"client_id": _("client id"), "client_secret": _("client secret"), "user": _("user"), "created": _("created")}
for _field in Application._meta.concrete_fields:
    _field.verbose_name = _WORDS.get(_field.name, _field.verbose_name)


class IssuedToken(AccessToken):
    """An access token, with names that the admin can translate."""

    class Meta:
        proxy = True
        verbose_name = _("issued token")
        verbose_name_plural = _("issued tokens")
        ordering = ["-created"]


class TokenGeneration(models.Model):
    """How often all tokens of a user were ended; users without a row never had them ended.

    JSON Web Tokens contain the number at their issue, because nothing else about them is stored.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="token_generation",
    )
    number = models.PositiveIntegerField(_("number"), default=0)

    class Meta:
        verbose_name = _("generation of tokens")
        verbose_name_plural = _("generations of tokens")

    def __str__(self) -> str:
        return str(self.number)


class UsedToken(models.Model):
    """A refresh token that was used, or a login that was ended because one was used twice; kept until it expires.

    Nothing is stored about valid JSON Web Tokens.
    """

    jti = models.CharField(max_length=32, primary_key=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.jti


class FirstScope(models.Model):
    """The originally granted scope of a refresh token whose access token was requested with a narrower one."""

    refresh_token = models.OneToOneField(
        RefreshToken,
        verbose_name=_("refresh token"),
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="first_scope",
    )
    scope = models.TextField(_("scopes"))

    class Meta:
        verbose_name = _("scope that was granted at first")
        verbose_name_plural = _("scopes that were granted at first")

    def __str__(self) -> str:
        return self.scope


class ProviderAccount(models.Model):
    """A person at the OpenID provider and their user here; known by issuer and subject, never by e-mail (N2)."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("user"), on_delete=models.CASCADE, related_name="provider_accounts"
    )
    issuer = models.CharField(
        _("issuer"), max_length=255, help_text=_("The address of the provider, as in the setting OIDC_ISSUER.")
    )
    subject = models.CharField(
        _("subject"),
        max_length=255,
        help_text=_("The lasting id of the person at the provider, which it sends as sub."),
    )

    class Meta:
        verbose_name = _("company account")
        verbose_name_plural = _("company accounts")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="tokens_provideraccount_unique")]

    def __str__(self) -> str:
        return self.subject


class ProviderGroup(models.Model):
    """The name of a group at the OpenID provider whose members are members of a group here (contract N3)."""

    group = models.ForeignKey(Group, verbose_name=_("group"), on_delete=models.CASCADE, related_name="provider_groups")
    name = models.CharField(
        _("name at the provider"),
        max_length=255,
        help_text=_(
            "Exactly as the provider sends it: Entra ID sends the object id, Keycloak the path. "
            "At each sign-in, its members join this group, and others leave it."
        ),
    )

    class Meta:
        verbose_name = _("group at the provider")
        verbose_name_plural = _("groups at the provider")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["group", "name"], name="tokens_providergroup_unique")]

    def __str__(self) -> str:
        return self.name


class ProviderSession(models.Model):
    """A session of the pages that began at the OpenID provider; it ends with this row (contract N4).

    `sid` is the session's id at the provider, empty if it names none. `sealed` has the tokens, encrypted.
    """

    id = models.UUIDField(primary_key=True, default=uuid4)
    account = models.ForeignKey(ProviderAccount, on_delete=models.CASCADE, related_name="sessions")
    sid = models.CharField(max_length=255, db_index=True)
    sealed = models.TextField()
    # The provider last confirmed it then, and is asked again at `due_at`.
    checked_at = models.DateTimeField()
    due_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.pk)
