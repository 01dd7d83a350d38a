"""How the administration looks: names, colours, start page and sidebar of unfold."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": _("Dimension elements"),
    "SITE_HEADER": _("Dimension elements"),
    "SITE_URL": lambda request: reverse("landing"),
    "SITE_SYMBOL": "account_tree",
    "SHOW_LANGUAGES": True,
    "LOGIN": {"form": "dimensions_site.repositories.sign_in.SignInForm"},
    "DASHBOARD_CALLBACK": "dimensions_site.start_page.start_page",
    "SIDEBAR": {"navigation": "dimensions_site.navigation.sidebar"},
    # The blue of the landing page. White on 600 and 500 on the darkest ground keep the contrast of WCAG AA.
    "COLORS": {
        "primary": {
            "50": "#eff6ff",
            "100": "#dbeafe",
            "200": "#bfdbfe",
            "300": "#93c5fd",
            "400": "#8ec1ff",
            "500": "#5a9bea",
            "600": "#0b4f9e",
            "700": "#0a4488",
            "800": "#0a3a73",
            "900": "#0b315f",
            "950": "#081f3d",
        }
    },
}
