"""The URLs of the token endpoints; those of disabled modes do not exist (contract G1)."""

from django.conf import settings
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.generic import TemplateView

from dimensions_site.repositories.login.passwords import sign_in
from dimensions_site.tokens.jwt.views import LogInView, RenewView
from dimensions_site.tokens.oauth2 import endpoints as oauth2_endpoints
from dimensions_site.tokens.oauth2.consent import ConsentView
from dimensions_site.tokens.openid import views as openid_views
from dimensions_site.tokens.openid.logout_tokens import back_channel_logout

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
        # Receives the code when Swagger UI authorizes.
        path(
            "oauth2/callback",
            never_cache(TemplateView.as_view(template_name="swagger_ui_callback.html")),
            name="oauth2-callback",
        ),
    ],
}

_WELL_KNOWN = [
    path(".well-known/oauth-authorization-server", oauth2_endpoints.metadata, name="oauth-server-metadata"),
    path(".well-known/oauth-authorization-server/<path:issuer_path>", oauth2_endpoints.metadata),
]
# In the library's namespace, where it looks up the issuer for its responses.
well_known = (_WELL_KNOWN if "oauth2" in settings.API_AUTHENTICATION else [], "oauth2_provider")

# They are among the pages of the administration.
sign_in_pages = [
    # In the place of Django's own at this address.
    path("login/", sign_in, name="sign-in"),
    path("sign-in/", openid_views.start, name="openid-start"),
    path("sign-in/done/", openid_views.callback, name="openid-callback"),
    path("logout/", openid_views.sign_out),
]

urlpatterns: list[URLPattern] = [
    path("openid/logout", back_channel_logout, name="openid-logout"),
    *(route for mode, routes in _OF_MODES.items() if mode in settings.API_AUTHENTICATION for route in routes),
]
