"""Who writes elements, from where and when (contract C12, C18)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.contrib.auth.models import User

from dimensions_site.elements.models import Origin


@dataclass(frozen=True)
class Actor:
    """Who writes, and through which channel; without a user it is the command line."""

    user: User | None
    origin: Origin

    @property
    def user_key(self) -> int | None:
        return None if self.user is None else self.user.pk

    @property
    def name(self) -> str:
        return self.user.get_username() if self.user is not None else "system"


def _now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)  # the wire has milliseconds


@dataclass(frozen=True)
class Provenance:
    """What one write stores on every element and in every row of the history: the actor and the time."""

    actor: Actor
    at: datetime = field(default_factory=_now)

    @property
    def columns(self) -> Mapping[str, object]:
        """Return the values of the element's columns behind `updateInfo`."""
        return {"update_user": self.actor.name, "update_date": self.at, "update_origin": self.actor.origin.value}
