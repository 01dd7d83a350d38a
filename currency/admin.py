"""Currencies in the admin."""

from django.contrib import admin

from currency.models import Currency
from dimensions_site.elements.admin import ElementAdmin


@admin.register(Currency)
class CurrencyAdmin(ElementAdmin):
    dimension = "currency"
