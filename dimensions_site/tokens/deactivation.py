"""Who is deactivated has his tokens ended for good, by whichever way a user is saved (contract G1).

They do not come back with him: nobody remembers then which of them there were, and in whose hands.
"""

from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save, pre_save
from django.dispatch import receiver

from dimensions_site.tokens.ending import end_tokens

# Where an instance keeps, while it is saved, that its tokens end with it.
_ENDS = "_tokens_end"


@receiver(pre_save, sender=User)
def notice(instance: User, raw: bool, update_fields: frozenset[str] | None, **_: Any) -> None:
    """Look whether `is_active` changes, unless it is not written at all.

    A user who is activated counts as well: what deactivated him may have been a statement that tells nobody.
    """
    if raw or instance._state.adding or (update_fields is not None and "is_active" not in update_fields):
        return
    if User.objects.filter(pk=instance.pk).exclude(is_active=instance.is_active).exists():
        setattr(instance, _ENDS, True)


@receiver(post_save, sender=User)
def end(instance: User, **_: Any) -> None:
    """End the tokens when it is written: from then on nobody gets new ones."""
    if instance.__dict__.pop(_ENDS, False):
        end_tokens(instance)
