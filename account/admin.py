"""Accounts in the admin, with the calculation logic that was generated for them (contract C17)."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from account.models import Account, CalculationLogic
from dimensions_site.elements.admin import ElementAdmin


class CalculationLogicInline(admin.TabularInline[CalculationLogic, Account]):
    model = CalculationLogic
    verbose_name = verbose_name_plural = "generated calculation logic"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Account)
class AccountAdmin(ElementAdmin):
    dimension = "account"
    list_filter = [*ElementAdmin.list_filter, "nature", "type"]
    inlines = [CalculationLogicInline]
