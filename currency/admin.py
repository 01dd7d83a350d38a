"""Currencies in the admin."""

from django.contrib import admin

from currency.models import CURRENCY, Currency
from dimensions_site.administration.dimension import DimensionAdmin


@admin.register(Currency)
class CurrencyAdmin(DimensionAdmin):
    dimension = CURRENCY
    icon = "payments"
    listed = ("decimalNumbers", "percentageDifference", "referenceCurrency.id", "preferred")
