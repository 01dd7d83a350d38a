"""Every address of the service."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import TemplateView
from django.views.i18n import set_language

import account.urls
import currency.urls
import dimensions_site.tokens.urls
from dimensions_site import health
from dimensions_site.api import handlers
from dimensions_site.languages import ADMINISTRATION
from dimensions_site.openapi import Document

# The prefix under which the specification documents each dimension; it also answers under the other one
# (contract A1), but only these paths stand in the OpenAPI documents.
CURRENCY_PREFIX = "api/aih/dimensions/v1/"
ACCOUNT_PREFIX = "dimensions/v1/"


def dimension(prefix: str, name: str, routes: list[URLPattern], *, namespace: str) -> URLResolver:
    """The routes of one dimension under one prefix."""
    return path(f"{prefix}<str:db_id>/{name}/", include((routes, name), namespace=namespace))


CURRENCY = dimension(CURRENCY_PREFIX, "currency", currency.urls.urlpatterns, namespace="currency")
ACCOUNT = dimension(ACCOUNT_PREFIX, "account", account.urls.urlpatterns, namespace="account")

# The versions that the specification names.
CURRENCY_DOCUMENT = Document("currency", "1.000", CURRENCY)
ACCOUNT_DOCUMENT = Document("account", "V1", ACCOUNT)

urlpatterns: list[URLPattern | URLResolver] = [
    CURRENCY,
    ACCOUNT,
    dimension(ACCOUNT_PREFIX, "currency", currency.urls.urlpatterns, namespace="currency-other-prefix"),
    dimension(CURRENCY_PREFIX, "account", account.urls.urlpatterns, namespace="account-other-prefix"),
    path("", TemplateView.as_view(template_name="landing.html"), name="landing"),
    *CURRENCY_DOCUMENT.routes(),
    *ACCOUNT_DOCUMENT.routes(),
    path("auth/", include(dimensions_site.tokens.urls)),
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
    path(f"{ADMINISTRATION}i18n/setlang/", set_language, name="set_language"),
    path(ADMINISTRATION, admin.site.urls),
]

handler400 = handlers.handler400
handler403 = handlers.handler403
handler404 = handlers.handler404
handler500 = handlers.handler500
