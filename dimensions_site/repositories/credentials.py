"""With what a caller came in, and what that allows at most (contract G1)."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from dimensions_site.repositories.entrances import Entrance, find_entrance
from dimensions_site.repositories.models import Dimension, Role


@dataclass(frozen=True)
class Limits:
    """What a credential allows at most: it narrows the grants of its user, and never widens them.

    `role` is the greatest role, None where the credential opens nothing; `dimension` is one dimension or all of them.
    To which repositories it is limited, the `Entrance` tells.
    """

    role: Role | None = Role.MANAGER
    dimension: str = Dimension.ALL


UNLIMITED = Limits()


@dataclass(frozen=True)
class Credential:
    """What REST framework keeps as `request.auth` of a caller who did not send a password.

    `kind` and `name` tell people which one it is, as in "API key" and "Data warehouse"; nothing here is secret.
    """

    kind: str
    name: str
    limits: Limits = UNLIMITED

    def __str__(self) -> str:
        return f"{self.kind} '{self.name}'"

    def entrance(self, user: User, db_id: str, dimension: str) -> Entrance | None:
        """What its `user` finds with it at the `dimension` of the repository `db_id`, None when there is none."""
        return find_entrance(user, db_id, dimension)

    def challenge(self, role: Role) -> dict[str, str]:
        """The headers of a 403 for a credential that is too narrow for `role`; none unless its standard has one."""
        return {}


def limits_of(credential: Credential | None) -> Limits:
    """What the credential allows at most; a password, of which nothing is kept, all that its user may."""
    return UNLIMITED if credential is None else credential.limits
