"""What lists and counts may be filtered by."""

import django_filters
from django.db.models import QuerySet
from django.db.models.fields.json import KT

from tests.load.bench.plain.models import Account


class AccountFilter(django_filters.FilterSet):
    after = django_filters.CharFilter(field_name="element_id", lookup_expr="gt")
    description_de = django_filters.CharFilter(method="containing")

    class Meta:
        model = Account
        fields = ["nature", "type"]

    def containing(self, rows: QuerySet[Account], name: str, text: str) -> QuerySet[Account]:
        """The accounts whose description in German contains the text."""
        german: QuerySet[Account] = rows.annotate(german=KT("descriptions__de"))
        return german.filter(german__contains=text)
