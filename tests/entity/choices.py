"""The values of an entity's enum."""

from django.db import models


class Method(models.TextChoices):
    """How an entity is consolidated."""

    FULL = "FULL"
    EQUITY = "EQUITY"
