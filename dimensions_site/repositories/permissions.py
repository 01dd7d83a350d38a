"""Decide whether a client has access to a repository, and in which role (contract A6, G2, G3)."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Max, QuerySet, Value

from dimensions_site.api.errors import forbidden, not_found
from dimensions_site.repositories.access import PASSWORD, Credential, grants
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from dimensions_site.text.formats import shortened


@dataclass(frozen=True)
class Scope:
    """A client's rights in one dimension of one repository.

    `granted` is the role of its grants. Its `credential`, which allows a role, may narrow it.
    """

    repository: Repository
    dimension: str
    granted: Role
    credential: Credential = PASSWORD

    def require(self, role: Role) -> None:
        """Raise 403 if the grants do not permit what needs the `role`, or the credential does not (contract G2)."""
        allowed = self.credential.role
        if self.granted >= role and (allowed is None or allowed >= role):
            return
        needs = (
            f"This call needs the role {role.label} for the {self.dimension} dimension of repository "
            f"'{self.repository.db_id}'"
        )
        if self.granted < role:
            raise forbidden("ROLE_TOO_SMALL", f"{needs}; you have the role {self.granted.label}.")
        if allowed is not None:
            detail = f"{needs}; the {self.credential} allows the role {allowed.label}."
            raise forbidden("CREDENTIAL_TOO_NARROW", detail, self.credential.challenge(role))


def check_access(user: User, db_id: str, dimension: str, credential: Credential | None = None) -> Scope:
    """Return the scope of `user`, authenticated by `credential`, in the `dimension` of the repository `db_id`.

    Costs one query, unless authentication has already read the access.

    Raises 404 for an unknown repository, then 403 without a grant, then 403 for a credential that does not cover the
    repository or dimension, then 403 if the API of the repository is disabled, for superusers too (contract A6, G1, G2,
    G3).
    """
    credential = credential or PASSWORD
    found = credential.access(user, db_id, dimension)
    if found is None:
        raise not_found("REPOSITORY_NOT_FOUND", f"There is no repository '{shortened(db_id)}'.")
    repository = found.repository
    granted = Role.MANAGER if user.is_superuser else found.best_role
    if granted is None:
        raise forbidden("NO_GRANT", f"You have no grant for the {dimension} dimension of repository '{db_id}'.")
    if credential.role is None or not found.is_within or credential.dimension not in (ALL, dimension):
        raise forbidden(
            "CREDENTIAL_TOO_NARROW",
            f"The {credential} is not for the {dimension} dimension of repository '{db_id}', though your grants are.",
            credential.challenge(Role.READER) if credential.role is None else None,
        )
    if not repository.api_enabled:
        raise forbidden("API_NOT_ENABLED", f"The REST API is not enabled in repository '{db_id}'.")
    return Scope(repository, dimension, Role(granted), credential)


def grants_of(user: User, dimension: str) -> QuerySet[AccessGrant]:
    """Return the grants of `user` for `dimension`, direct or by group."""
    return grants(Value(user.pk), dimension)


def repositories_open_to(user: User | AnonymousUser, dimension: str, role: Role = Role.READER) -> QuerySet[Repository]:
    """Return the repositories in whose `dimension` the user has at least `role`: the scope of the admin (contract
    G2).
    """
    if user.is_anonymous:
        return Repository.objects.none()
    if user.is_superuser:
        return Repository.objects.all()
    return Repository.objects.filter(pk__in=grants_of(user, dimension).filter(role__gte=role).values("repository"))


def roles_of(user: User | AnonymousUser, dimension: str) -> dict[int, Role]:
    """Return the user's best role for the `dimension` of each repository, by its primary key; one query."""
    if user.is_anonymous:
        return {}
    if user.is_superuser:
        return dict.fromkeys(Repository.objects.order_by().values_list("pk", flat=True), Role.MANAGER)
    best = grants_of(user, dimension).order_by().values_list("repository").annotate(Max("role"))
    return {key: Role(role) for key, role in best}
