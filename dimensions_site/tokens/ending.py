"""End all tokens of a user, when they are deactivated or on request of an operator (contract G1)."""

from typing import Any

import structlog
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import F
from django.db.models.signals import post_save, pre_save
from django.dispatch import receiver
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken, clear_expired

from dimensions_site.tokens.models import ProviderSession, TokenGeneration, UsedToken

log = structlog.get_logger(__name__)

# The attribute that marks an instance whose tokens end when it is saved.
_ENDS = "_tokens_end"


def delete_expired_tokens() -> None:
    """Delete the records of expired tokens, and sessions of the pages that have ended, with those of the provider."""
    clear_expired()
    now = timezone.now()
    Session.objects.filter(expire_date__lte=now).delete()
    ProviderSession.objects.filter(expires_at__lte=now).delete()
    UsedToken.objects.filter(expires_at__lte=now).delete()


@receiver(pre_save, sender=User)
def notice(instance: User, raw: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    """Detect a change of `is_active`, if it is saved.

    Activation counts as well: the deactivation may have been an UPDATE statement, which sends no signal.
    """
    if raw or instance._state.adding or (update_fields is not None and "is_active" not in update_fields):
        return
    if User.objects.filter(pk=instance.pk).exclude(is_active=instance.is_active).exists():
        setattr(instance, _ENDS, True)


@receiver(post_save, sender=User)
def end(instance: User, **_: Any) -> None:
    """End the tokens when the user is saved."""
    if instance.__dict__.pop(_ENDS, False):
        end_tokens(instance)


def end_tokens(user: User) -> None:
    """Reject everything issued to the user so far: JSON Web Tokens, OAuth2 tokens and codes. New ones may be issued.

    A token that is being issued at the same moment is ended as well, or not issued. Logged after the commit.
    """
    with transaction.atomic():
        locked_user(user.pk)
        generation, _ = TokenGeneration.objects.get_or_create(user_id=user.pk)
        TokenGeneration.objects.filter(pk=generation.pk).update(number=F("number") + 1)
        Grant.objects.filter(user_id=user.pk).delete()
        # Renewal locks a refresh token before its access token; the reverse order could deadlock.
        list(RefreshToken.objects.select_for_update().filter(user_id=user.pk).values_list("pk"))
        RefreshToken.objects.filter(user_id=user.pk).delete()
        AccessToken.objects.filter(user_id=user.pk).delete()
        subject = {"user": user.get_username()}
        transaction.on_commit(lambda: log.info("user_tokens_ended", subject=subject))


def locked_user(user_id: int) -> User | None:
    """Return the current row of the user, or None; locked against ending and issuing tokens until the commit."""
    # A lock that still permits writing rows that refer to the user.
    return User.objects.select_for_update(no_key=True).filter(pk=user_id).first()


def generation_of(user: User) -> int:
    """Return how often the user's tokens were ended; without a query if they were read with `token_generation`."""
    generation: TokenGeneration | None = getattr(user, "token_generation", None)
    return 0 if generation is None else generation.number
