"""Stored answers to requests with an idempotency key."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.fields import CodePointTextField

# An answer may outlive its user and repository until it expires. Otherwise the admin's page for deleting a user would
# load all of their answers, bodies included.
_LOOSE: dict[str, Any] = {
    "on_delete": models.DO_NOTHING,
    "db_constraint": False,
    "db_index": False,
    "related_name": "+",
}


class StoredAnswer(models.Model):
    """The answer to a client's first request with a key in a repository.

    Written in the same transaction as the changes that it reports, so neither exists without the other. The
    `fingerprint` shows whether another request is a retry; `body` is compressed by zlib.
    """

    repository = models.ForeignKey(Repository, **_LOOSE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, **_LOOSE)
    key = CodePointTextField()
    fingerprint = CodePointTextField()
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "user", "key"], name="one_answer_for_a_key")]
        indexes = [models.Index(fields=["created_at"], name="answers_by_age")]

    def __str__(self) -> str:
        return f"answer {self.status} to {self.key}"
