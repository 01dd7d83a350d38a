"""What a token of a program allows (contract G1, G2)."""

from collections.abc import Collection
from dataclasses import dataclass

from dimensions_site.repositories.credentials import Credential, Limits
from dimensions_site.repositories.models import Role

# What each of the `SCOPES` allows at most.
ROLES = {"read": Role.READER, "write": Role.EDITOR, "manage": Role.MANAGER}
REALM = 'Bearer realm="dimensions"'


@dataclass(frozen=True)
class TokenCredential(Credential):
    """A bearer token with scopes."""

    def challenge(self, role: Role) -> dict[str, str]:
        """The header of a 403 that names the scope with which `role` could be had (RFC 6750, 3.1)."""
        return {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope_of(role)}"'}


def scope_of(role: Role) -> str:
    """The smallest scope with which a token opens what `role` may."""
    return next(scope for scope, allowed in ROLES.items() if allowed == role)


def limits_of_scopes(scopes: Collection[str]) -> Limits:
    """What the greatest of the `scopes` allows at most; without one of ours they open nothing."""
    return Limits(role=max((role for scope, role in ROLES.items() if scope in scopes), default=None))
