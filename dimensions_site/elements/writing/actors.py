"""Who writes elements, through what, when and why (contract C12, I1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dimensions_site.changes.models import Channel
from dimensions_site.elements.models import Origin

# The name of the command line, which has no user.
SYSTEM = "system"


@dataclass(frozen=True)
class Actor:
    """Who writes, by name; through which channel; in which operation, a job or a plan; and for what reason."""

    name: str
    channel: Channel
    operation: str | None = None
    reason: str | None = None

    @property
    def origin(self) -> Origin:
        """The origin that the elements show."""
        return Origin.IMPORT if self.channel is Channel.IMPORT else Origin.INPUT_WEB


def _now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)  # the wire has milliseconds


@dataclass(frozen=True)
class Provenance:
    """What one write stores on every element: the actor and the time."""

    actor: Actor
    at: datetime = field(default_factory=_now)

    @property
    def columns(self) -> Mapping[str, object]:
        """Return the values of the element's columns behind `updateInfo`."""
        return {"update_user": self.actor.name, "update_date": self.at, "update_origin": self.actor.origin.value}
