"""Scopes of tokens (contracts G1, G2)."""

from collections.abc import Collection
from dataclasses import dataclass

from dimensions_site.repositories.credentials import Credential, Limits
from dimensions_site.repositories.models import Role

# The limits of each of the `SCOPES`.
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


def limits_of_scopes(scopes: Collection[str]) -> Limits:
    """Return the limits of the highest of the `scopes`; unknown scopes alone permit nothing."""
    return Limits(role=max((role for scope, role in ROLES.items() if scope in scopes), default=None))
