"""Accounts in the admin, with the calculation logic that was generated for them (contract C17)."""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter

from account.models import ACCOUNT, Account, CalculationLogic
from dimensions_site.administration.base.filters import PlainChoiceForm
from dimensions_site.administration.dimension import DimensionAdmin
from dimensions_site.administration.lists.tree import TREE_PAGE


class HasLogicFilter(DropdownFilter):
    title = _("calculation logic")
    form_class = PlainChoiceForm
    parameter_name = "has_logic"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("yes")), ("no", _("no"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if queryset.model is Account:
            has_logic: Any = Exists(
                CalculationLogic.objects.filter(repository=OuterRef("repository"), account=OuterRef("pk"))
            )
        else:  # versions: only those had one that required it (contract C17)
            has_logic = Q(gross_amount_equal_ic_sum__isnull=False, gross_amount_equal_ic_sum=True)
        condition = {"yes": has_logic, "no": ~has_logic}.get(self.value() or "")
        return queryset if condition is None else queryset.filter(condition)


@admin.register(Account)
class AccountAdmin(DimensionAdmin):
    dimension = ACCOUNT
    icon = "account_balance"
    listed = ("nature", "type", "dataEntryAndReporting.class", "conversion.conversionType")
    presets = {"type": "NORMAL"}
    # The closing rate for what stands at the end of a period, the average rate for what happens in it.
    suggestions = {"conversion.conversionType": ("nature", {"BALANCE_SHEET": "FINAL", "PROFIT_AND_LOSS": "AVERAGE"})}
    further_filters = (HasLogicFilter, *DimensionAdmin.further_filters)
    pages = [*DimensionAdmin.pages, TREE_PAGE]

    def generated(self, element: Account) -> list[str]:
        return [str(logic) for logic in element.calculation_logics.order_by("name")]
