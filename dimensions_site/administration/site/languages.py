"""Language and time zone of the administration; REST and logs are in English and UTC (design/administration.md)."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, override

from dimensions_site.administration.base.instants import zone_of
from dimensions_site.api.middleware.addresses import CONSENT
from dimensions_site.api.middleware.requests import GetResponse

# The pages of the administration are below it (`urls.py`).
ADMINISTRATION = "admin/"


def language_of_the_administration(get_response: GetResponse) -> GetResponse:
    """Answer pages of the administration, and OAuth2 consent, in the user's chosen language, else that of the browser.

    Instants are in the time zone of the browser.

    Replaces Django's middleware, which would translate every response and leave the language active in the thread.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith((f"/{ADMINISTRATION}", CONSENT)):
            return get_response(request)
        language = get_language_from_request(request)
        with override(language), timezone.override(zone_of(request)):
            response = get_response(request)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        response.headers["Content-Language"] = language
        return response

    return middleware
