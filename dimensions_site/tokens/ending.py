"""All tokens of a user are ended for good: when he is deactivated, or when an operator says so (contract G1)."""

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from dimensions_site.tokens.models import TokenGeneration

log = structlog.get_logger(__name__)


def end_tokens(user: User) -> None:
    """Refuse from now on what was issued to the user: JSON Web Tokens, tokens and codes of OAuth2. He may get new ones.

    One that is issued at the same moment is ended too, or not issued at all. Logged when it is committed.
    """
    with transaction.atomic():
        locked(user.pk)
        generation, _ = TokenGeneration.objects.get_or_create(user_id=user.pk)
        TokenGeneration.objects.filter(pk=generation.pk).update(number=F("number") + 1)
        Grant.objects.filter(user_id=user.pk).delete()
        # Who renews a token locks it before its access token. The other way round both would wait for each other.
        list(RefreshToken.objects.select_for_update().filter(user_id=user.pk).values_list("pk"))
        RefreshToken.objects.filter(user_id=user.pk).delete()
        AccessToken.objects.filter(user_id=user.pk).delete()
        subject = {"user": user.get_username()}
        transaction.on_commit(lambda: log.info("user_tokens_ended", subject=subject))


def locked(user_id: int) -> User | None:
    """Return the user as he is now, None when he is gone; nobody else ends or issues his tokens until the commit."""
    # Rows that only refer to the user may be written meanwhile.
    return User.objects.select_for_update(no_key=True).filter(pk=user_id).first()


def generation_of(user: User) -> int:
    """How often all tokens of the user were ended; no query when he was read with `token_generation`."""
    generation: TokenGeneration | None = getattr(user, "token_generation", None)
    return 0 if generation is None else generation.number
