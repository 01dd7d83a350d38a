"""The language of the administration: programs that call REST, and logs, always read English."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, override

from dimensions_site.api.middleware import GetResponse
from dimensions_site.api.prefixes import CONSENT

# Below it are the pages of the administration (`urls.py`).
ADMINISTRATION = "admin/"


def language_of_the_administration(get_response: GetResponse) -> GetResponse:
    """Answer pages of the administration in the language that the user has chosen, or else in that of the browser.

    So is the page answered on which people let a program act for them.
    In the place of Django's middleware, which would translate every answer, and leave the thread in the language.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith((f"/{ADMINISTRATION}", CONSENT)):
            return get_response(request)
        language = get_language_from_request(request)
        with override(language):
            response = get_response(request)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        response.headers["Content-Language"] = language
        return response

    return middleware
