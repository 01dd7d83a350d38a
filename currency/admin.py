"""Currencies in the admin."""

from django.contrib import admin

from currency.dimension import CURRENCY
from currency.models import Currency
from dimensions_site.administration.dimension import DimensionAdmin


@admin.register(Currency)
class CurrencyAdmin(DimensionAdmin):
    dimension = CURRENCY
    icon = "payments"
    listed = ("decimalNumbers", "percentageDifference", "referenceCurrency.id", "preferred")
