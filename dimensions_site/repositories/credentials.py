"""The credential of a request, and how it limits the rights of its user (contract G1)."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet

from dimensions_site.repositories.access import Access, find_access
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import Repository, Role


@dataclass(frozen=True)
class Credential:
    """REST framework's `request.auth` for every authentication mode except passwords.

    `kind` and `name` identify it to people, as in "API key" and "Data warehouse"; neither is secret. A credential
    narrows the grants of its user, and never widens them: `role` is the highest role, or None if the credential permits
    nothing; `dimension` is one dimension or all. `Access` checks the repositories.
    """

    kind: str
    name: str
    role: Role | None = Role.MANAGER
    dimension: str = ALL

    def __str__(self) -> str:
        return f"{self.kind} '{self.name}'"

    def access(self, user: User, db_id: str, dimension: str) -> Access | None:
        """Return the `user`'s access to the `dimension` of the repository `db_id`; None for an unknown repository."""
        return find_access(user, db_id, dimension)

    def repositories(self) -> QuerySet[Repository]:
        """Return the repositories that the credential covers, whatever its user's grants."""
        return Repository.objects.all()

    def challenge(self, role: Role) -> dict[str, str]:
        """Return the headers of a 403 for a credential that is too narrow for `role`; none unless its standard defines
        one.
        """
        return {}


# A user name and password, which narrow nothing.
PASSWORD = Credential("password", "")
