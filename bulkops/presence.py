"""Whether a worker is there to do what waits (contract H3)."""

from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from bulkops.models import Worker


def silence() -> timedelta | None:
    """How long ago a worker last got something done; None when there is no worker."""
    last = Worker.objects.annotate(silent_for=Now() - F("beat_at")).order_by("-beat_at").first()
    return None if last is None else last.silent_for


def is_too_long(silent_for: timedelta) -> bool:
    """Whether a worker that was silent for so long counts as lost."""
    return silent_for.total_seconds() >= settings.WORKER_LOST_AFTER_SECONDS + 1


def somebody_works() -> bool:
    """Whether a worker has shown lately that it lives."""
    silent_for = silence()
    return silent_for is not None and not is_too_long(silent_for)
