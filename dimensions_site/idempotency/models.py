"""Stored answers to requests with an idempotency key."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.columns import CodePointTextField

# Answers up to this size, in bytes, are always stored, so that most requests need not look for space.
SMALL_ANSWER = 16 * 1024
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
    `fingerprint` shows whether another request is a retry.
    """

    repository = models.ForeignKey(Repository, **_LOOSE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, **_LOOSE)
    key = CodePointTextField()
    fingerprint = CodePointTextField()
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())
    # Uncompressed size of the body in bytes.
    size = models.PositiveBigIntegerField(default=0, db_default=0)
    # False if the body was too large to store or was deleted for later ones; the key remains known.
    has_body = models.BooleanField(default=True, db_default=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "user", "key"], name="one_answer_for_a_key")]
        indexes = [
            models.Index(fields=["created_at"], name="answers_by_age"),
            models.Index(
                fields=["repository", "user", "created_at"],
                name="large_answers",
                condition=models.Q(has_body=True, size__gt=SMALL_ANSWER),
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.status} to {self.key}"


class StoredAnswerPart(models.Model):
    """A compressed part of the body of an answer, `answers.PART_BYTES` long when decompressed; the last one may be
    shorter.
    """

    answer = models.ForeignKey(StoredAnswer, on_delete=models.CASCADE, related_name="parts", db_index=False)
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "position"], name="one_part_at_a_position")]

    def __str__(self) -> str:
        return f"part {self.position} of answer {self.answer_id}"
