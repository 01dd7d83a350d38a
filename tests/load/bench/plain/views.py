"""The accounts of a tenant: read, change, count and save many."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from tests.load.bench.plain.filters import AccountFilter
from tests.load.bench.plain.models import Account
from tests.load.bench.plain.serializers import AccountSerializer, AccountSummary

_KEY = ["tenant", "element_id"]
_SAVED = [field.name for field in Account._meta.concrete_fields if field.name not in ("id", *_KEY)]
_BATCH = 1_000


class AccountViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.UpdateModelMixin, viewsets.GenericViewSet
):
    serializer_class = AccountSerializer
    filterset_class = AccountFilter
    lookup_field = "element_id"

    def get_queryset(self) -> QuerySet[Account]:
        """Those of the tenant in the address."""
        return Account.objects.filter(tenant=self.kwargs["tenant"])

    def perform_update(self, serializer: BaseSerializer) -> None:
        """Save with the name of who saves."""
        serializer.save(**self._saved_by())

    @action(detail=False)
    def count(self, request: Request, **path: str) -> Response:
        """How many the filter selects."""
        return Response(self.filter_queryset(self.get_queryset()).count())

    @action(detail=False)
    def summaries(self, request: Request, **path: str) -> Response:
        """A list to choose from."""
        return Response(AccountSummary(self.filter_queryset(self.get_queryset()), many=True).data)

    @action(detail=False, methods=["post"])
    def bulk(self, request: Request, **path: str) -> Response:
        """Insert those below `post`, insert or replace those below `put`; answer all of them."""
        body = request.data
        if not isinstance(body, dict):
            raise ValidationError("The body has to be an object.")
        with transaction.atomic():
            saved = [
                *self._save(body.get("post", [])),
                *self._save(body.get("put", []), update_conflicts=True, unique_fields=_KEY, update_fields=_SAVED),
            ]
        return Response(self.get_serializer(saved, many=True).data)

    def _save(self, elements: Any, **conflicts: Any) -> list[Account]:
        serializer = self.get_serializer(data=elements, many=True)
        serializer.is_valid(raise_exception=True)
        common = {"tenant": self.kwargs["tenant"], **self._saved_by()}
        rows = [Account(**values, **common) for values in serializer.validated_data]
        try:
            return Account.objects.bulk_create(rows, batch_size=_BATCH, **conflicts)
        except IntegrityError as error:
            raise ValidationError("One of the accounts exists already.") from error

    def _saved_by(self) -> dict[str, Any]:
        user = self.request.user.get_username()
        return {"update_user": user, "update_date": timezone.now(), "update_origin": "INPUT_WEB"}
