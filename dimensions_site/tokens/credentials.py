"""Scopes of tokens (contracts G1, G2)."""

from collections.abc import Collection
from dataclasses import dataclass

from dimensions_site.repositories.credentials import Credential
from dimensions_site.repositories.models import Role

# The highest role that each of the `SCOPES` permits.
ROLES = {"read": Role.READER, "write": Role.EDITOR, "manage": Role.MANAGER}
REALM = 'Bearer realm="dimensions"'


@dataclass(frozen=True)
class TokenCredential(Credential):
    """A bearer token with scopes."""

    def challenge(self, role: Role) -> dict[str, str]:
        """Return the header of a 403 with the scope that `role` requires (RFC 6750, 3.1)."""
        return {"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{scope_of(role)}"'}


def scope_of(role: Role) -> str:
    """Return the smallest scope that permits what `role` may do."""
    return next(scope for scope, allowed in ROLES.items() if allowed == role)


def role_of(scopes: Collection[str]) -> Role | None:
    """Return the role that the highest of the `scopes` permits; None if all of them are unknown."""
    return max((role for scope, role in ROLES.items() if scope in scopes), default=None)
