"""Random keys that are shown once, and stored as a hash (contract G1; design/access.md)."""

import hashlib
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.crypto import constant_time_compare, get_random_string
from django.utils.translation import gettext_lazy as _

_PREFIX, _SECRET = 8, 32


def hash_of(key: str) -> str:
    """Return the stored hash of the key; it is random and long, so it needs neither salt nor iterations."""
    return f"sha512$${hashlib.sha512(key.encode()).hexdigest()}"


class SecretKeyManager(models.Manager[Any]):
    def create_key(self, **fields: Any) -> tuple[Any, str]:
        """Create a row with a random key; return the row and the key."""
        row = self.model(**fields)
        key: str = row.assign_key()
        row.save(force_insert=True)
        return row, key


class SecretKey(models.Model):
    """A key that is found by its prefix, which is not secret, and verified by its hash."""

    id = models.CharField(max_length=150, unique=True, primary_key=True, editable=False)
    prefix = models.CharField(_("prefix"), max_length=_PREFIX, unique=True, editable=False)
    hashed_key = models.CharField(max_length=150, editable=False)
    created = models.DateTimeField(auto_now_add=True, db_index=True)
    name = models.CharField(
        _("name"),
        max_length=50,
        default=None,
        help_text=_("A free-form name for the API key. Need not be unique. 50 characters max."),
    )
    revoked = models.BooleanField(
        _("revoked"),
        blank=True,
        default=False,
        help_text=_("If the API key is revoked, clients cannot use it anymore. (This cannot be undone.)"),
    )
    expiry_date = models.DateTimeField(
        _("Expires"), blank=True, null=True, help_text=_("Once API key expires, clients cannot use it anymore.")
    )

    objects = SecretKeyManager()

    class Meta:
        abstract = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._was_revoked = self.revoked

    def __str__(self) -> str:
        return str(self.name)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the key. Raises ValidationError as `clean` does."""
        SecretKey.clean(self)
        super().save(*args, **kwargs)

    def clean(self) -> None:
        if self._was_revoked and not self.revoked:
            raise ValidationError(_("The API key has been revoked, which cannot be undone."))

    def assign_key(self) -> str:
        self.prefix = get_random_string(_PREFIX)
        key = f"{self.prefix}.{get_random_string(_SECRET)}"
        self.hashed_key = hash_of(key)
        self.id = f"{self.prefix}.{self.hashed_key}"
        return key

    def is_valid(self, key: str) -> bool:
        return constant_time_compare(hash_of(key), self.hashed_key)

    @property
    def has_expired(self) -> bool:
        return self.expiry_date is not None and self.expiry_date < timezone.now()
