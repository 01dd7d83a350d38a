"""The answers to requests with a key, kept so that a repeated request gets the first one."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.columns import CodePointTextField

# An answer may outlive its user and its repository until it is too old. If it went with them, the page on which the
# admin deletes a user would read all of his answers, bodies included.
_LOOSE: dict[str, Any] = {
    "on_delete": models.DO_NOTHING,
    "db_constraint": False,
    "db_index": False,
    "related_name": "+",
}


class StoredAnswer(models.Model):
    """What a caller was answered to the first request with this key in a repository.

    It is written in the transaction of what it tells, so there is never one without the other. The `fingerprint` tells
    whether another request is the same one.
    """

    repository = models.ForeignKey(Repository, **_LOOSE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, **_LOOSE)
    key = CodePointTextField()
    fingerprint = CodePointTextField()
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "user", "key"], name="one_answer_for_a_key")]
        indexes = [models.Index(fields=["created_at"], name="answers_by_age")]

    def __str__(self) -> str:
        return f"answer {self.status} to {self.key}"


class StoredAnswerPart(models.Model):
    """A part of the body of an answer, packed; unpacked it is `answers.PART_BYTES` long, the last one shorter."""

    answer = models.ForeignKey(StoredAnswer, on_delete=models.CASCADE, related_name="parts", db_index=False)
    position = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["answer", "position"], name="one_part_at_a_position")]

    def __str__(self) -> str:
        return f"part {self.position} of answer {self.answer_id}"
