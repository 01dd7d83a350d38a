"""Every URL of the service."""

from itertools import chain

from django.contrib import admin
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path
from django.utils.functional import lazy
from django.views.generic import RedirectView, TemplateView
from django.views.i18n import set_language

import account.urls
import currency.urls
import dimensions_site.tokens.urls
from account.models import ACCOUNT
from currency.models import CURRENCY
from dimensions_site import monitoring
from dimensions_site.administration.site import middleware
from dimensions_site.api import handlers
from dimensions_site.api.views import read_only
from dimensions_site.elements.dimension import dimensions
from dimensions_site.elements.rest.routes import DimensionRoutes, common_document
from dimensions_site.tokens.urls import sign_in_pages

# A new dimension needs one line here.
DIMENSIONS = (
    DimensionRoutes(CURRENCY, currency.urls.urlpatterns),
    DimensionRoutes(ACCOUNT, account.urls.urlpatterns),
)

TOGETHER = common_document(DIMENSIONS)

landing = read_only(TemplateView.as_view(template_name="landing.html", extra_context={"dimensions": dimensions}))

urlpatterns: list[URLPattern | URLResolver] = [
    *chain.from_iterable(routes.urlpatterns for routes in DIMENSIONS),
    *TOGETHER.routes(),
    path("", landing, name="landing"),
    # For browsers that have not read a page, for example those that open an OpenAPI document.
    path("favicon.ico", RedirectView.as_view(url=lazy(static, str)("site/icon.svg")), name="favicon"),
    path("auth/", include(dimensions_site.tokens.urls)),
    path("", include(dimensions_site.tokens.urls.well_known)),
    path("version", monitoring.version, name="version"),
    *(path(name, handlers.listing(landing), name=name) for name in ("docs", "openapi", "health")),
    path("health/live", monitoring.live, name="health-live"),
    path("health/ready", monitoring.ready, name="health-ready"),
    path(f"{middleware.ADMINISTRATION}i18n/setlang/", set_language, name="set_language"),
    path(middleware.ADMINISTRATION, include("dimensions_site.administration.urls")),
    path(middleware.ADMINISTRATION, include(sign_in_pages)),
    path(middleware.ADMINISTRATION, admin.site.urls),
]

handler400 = middleware.handler400
handler403 = middleware.handler403
handler404 = middleware.handler404
handler500 = handlers.handler500
