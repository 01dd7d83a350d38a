"""The list of the repositories that a client has access to, at the prefix before their names (contract M2)."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from dimensions_site.api.views import ConventionsMixin
from dimensions_site.elements.dimension import Dimension, dimensions
from dimensions_site.elements.reading.answers import Answer
from dimensions_site.elements.rest import parameters
from dimensions_site.elements.rest.schema import DimensionSchema
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import PASSWORD, Credential, roles_of


class AccessibleRepository(Answer):
    dbID = serializers.CharField()
    name = serializers.CharField()
    defaultLanguage = serializers.CharField(help_text="The language of `description`.")
    apiEnabled = serializers.BooleanField(help_text="false: every other call to the repository is answered 403.")
    roles = serializers.DictField(
        child=serializers.ChoiceField([role.name.lower() for role in Role], allow_null=True),
        help_text="Your role for each dimension; null without access.",
    )


class RepositoriesSchema(DimensionSchema):
    """It names no repository."""

    def get_override_parameters(self) -> list[Any]:
        return [*parameters.HEADERS]

    def answer_example(self) -> Any:
        roles = {"currency": "manager", "account": "reader"}
        example = {"dbID": "demo", "name": "Demo group", "defaultLanguage": "en", "apiEnabled": True, "roles": roles}
        return [example]


class RepositoriesViewSet(ConventionsMixin, ViewSet):
    """Lists repositories; `dimension` is the one whose OpenAPI document describes it."""

    schema = RepositoriesSchema()
    dimension: Dimension | None = None
    role = Role.READER
    query_parameters: ClassVar[Mapping[str, frozenset[str]]] = {}
    writing_methods: ClassVar[frozenset[str]] = frozenset()

    @extend_schema(
        operation_id="listRepositories",
        summary="List the repositories that you have access to",
        description="Returns the repositories in which you have a role for at least one dimension, ordered by `dbID`. "
        "An API key or token may narrow what your grants give.",
        responses={200: OpenApiResponse(AccessibleRepository(many=True), "The repositories.")},
    )
    def list(self, request: Request, **path: str) -> Response:
        """Return the repositories in which the client has a role, with the roles. One query, and one per dimension.

        Grants and the credential decide, as for any call (contract G1, G2); a disabled API hides nothing (G3).
        """
        credential = cast(Credential | None, request.auth) or PASSWORD
        roles = {dimension.name: _roles(request, credential, dimension) for dimension in dimensions()}
        found = {key for by_repository in roles.values() for key in by_repository}
        rows = credential.repositories().filter(pk__in=found).order_by("db_id")
        answer = [
            {**row, "roles": {name: by_repository.get(row["id"]) for name, by_repository in roles.items()}}
            for row in rows.values()
        ]
        return Response(AccessibleRepository(answer, many=True).data)


def _roles(request: Request, credential: Credential, dimension: Dimension) -> dict[int, str]:
    """Return the client's role for the `dimension` in each repository, by its primary key."""
    if credential.role is None or credential.dimension not in (ALL, dimension.name):
        return {}
    granted = roles_of(cast(User, request.user), dimension.name)
    return {key: min(role, credential.role).name.lower() for key, role in granted.items()}
