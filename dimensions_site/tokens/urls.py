"""The addresses at which tokens are issued; those of a mode that is off are not there (contract G1)."""

from django.conf import settings
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView

from dimensions_site.tokens import oauth2_endpoints
from dimensions_site.tokens.consent import ConsentView
from dimensions_site.tokens.json_views import LogInView, RenewView

_OF_MODES = {
    "jwt": [
        path("jwt/token", LogInView.as_view(), name="jwt-token"),
        path("jwt/refresh", RenewView.as_view(), name="jwt-refresh"),
    ],
    "oauth2": [
        path("oauth2/token", oauth2_endpoints.token, name="oauth2-token"),
        path("oauth2/introspect", oauth2_endpoints.introspect, name="oauth2-introspect"),
        path("oauth2/revoke", oauth2_endpoints.revoke, name="oauth2-revoke"),
        path("oauth2/authorize", never_cache(ConsentView.as_view()), name="oauth2-authorize"),
        # Where the pages of the documents get the codes with which somebody lets them act for him.
        path(
            "oauth2/callback",
            never_cache(TemplateView.as_view(template_name="swagger_ui_callback.html")),
            name="oauth2-callback",
        ),
    ],
}

urlpatterns: list[URLPattern] = [
    route for mode, routes in _OF_MODES.items() if mode in settings.API_AUTHENTICATION for route in routes
]
