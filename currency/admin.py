"""Currencies in the admin."""

from django.contrib import admin

from bulkops.admin.dimension import DimensionAdmin
from currency.dimension import CURRENCY
from currency.models import Currency


@admin.register(Currency)
class CurrencyAdmin(DimensionAdmin):
    dimension = CURRENCY
    icon = "payments"
    listed = ("decimalNumbers", "percentageDifference", "referenceCurrency.id", "preferred")
