"""What the routes of a dimension have in common: which dimension it is, and who may enter it."""

from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet
from rest_framework.viewsets import ViewSet

from dimensions_site.api.errors import not_found
from dimensions_site.elements.models import Element
from dimensions_site.elements.wire import Wire
from dimensions_site.idempotency.views import IdempotentMixin
from dimensions_site.repositories.credentials import Credential
from dimensions_site.repositories.models import Role
from dimensions_site.repositories.permissions import enter


class DimensionViewSet(IdempotentMixin, ViewSet):
    """Routes inside one dimension of one repository; a concrete view set names its dimension, model and wire."""

    dimension: ClassVar[str]
    model: ClassVar[type[Element]]
    wire: ClassVar[Wire]
    # Actions without an entry take no query parameters; None lets whatever comes pass unread (contract A7).
    query_parameters: ClassVar[dict[str, frozenset[str] | None]] = {}
    # Actions without an entry are open to readers (contract G2).
    roles: ClassVar[dict[str, Role]] = {}
    # The name of the database that elements are read from.
    database: str = DEFAULT_DB_ALIAS

    def resolve_scope(self) -> None:
        """Enter the repository that the path names: the one place where a tenant is chosen (contract A6)."""
        # ConventionsMixin has refused whoever is anonymous.
        self.user = cast(User, self.request.user)
        credential = cast(Credential | None, self.request.auth)
        self.scope = enter(self.user, self.kwargs["db_id"], self.dimension, credential)
        self.scope.require(self.role)
        # Only the address as it was sent, where the server keeps it, tells an id that ends with a slash from a
        # path that does (contract A3, A5).
        if self.request.META.get("RAW_URI", "").partition("?")[0].endswith("/"):
            raise not_found(
                "NOT_FOUND", "Nothing is found at this address: it ends with a slash. In an id a slash is written %2F."
            )

    @property
    def role(self) -> Role:
        """The smallest role that the action is open to."""
        return self.roles.get(self.action or "", Role.READER)

    def allowed_query_parameters(self) -> frozenset[str] | None:
        return self.query_parameters.get(self.action or "", frozenset())

    @property
    def elements(self) -> QuerySet[Any]:
        """The elements of this repository and of no other."""
        return self.model.of(self.scope.repository).using(self.database)
