"""Error pages 403, 404, 405 and 413 of the administration, with its navigation for signed-in users."""

from http import HTTPStatus

from django.contrib import admin
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from dimensions_site.administration.site.middleware import ADMINISTRATION
from dimensions_site.api import handlers
from dimensions_site.api.errors import Problem, problem_response
from dimensions_site.api.middleware.requests import GetResponse


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 400 for a request that is refused before a page sees it; 413 for a body beyond the limit."""
    page = None
    if isinstance(exception, RequestDataTooBig):
        text = _("Nothing was saved: one request cannot take that much. Go back in the browser, and send it in parts.")
        page = _page(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _("Too much at once"), text)
    return page or handlers.handler400(request, exception)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 403 for a request that is not permitted."""
    text = _("You are not permitted to see this page or to do what you tried. Your administrator can grant you access.")
    page = _page(request, HTTPStatus.FORBIDDEN, _("Not permitted"), text)
    return page or handlers.handler403(request, exception)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 for an unknown URL."""
    text = _("There is nothing at this address. It may be mistyped, or the page has been deleted.")
    page = _page(request, HTTPStatus.NOT_FOUND, _("Page not found"), text)
    return page or handlers.handler404(request, exception)


def explain_methods(get_response: GetResponse) -> GetResponse:
    """Fill the 405 of a page, which Django leaves empty, in the form that the client asks for (contract B3).

    A browser that has to sign in before what a button sends is taken opens the address of the button afterwards.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponseNotAllowed):
            text = _(
                "Nothing was saved. This is the address of a button; you may have signed in again after you pressed "
                "it. Open the page with the button, and press the button again."
            )
            detail = f"{request.method} is not permitted here; use one of: {response['Allow']}."
            problem = Problem(HTTPStatus.METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", detail)
            page = _page(request, HTTPStatus.METHOD_NOT_ALLOWED, _("Open the page again"), text)
            filled = page or problem_response(request, problem)
            response.content, response["Content-Type"] = filled.content, filled["Content-Type"]
        return response

    return middleware


def _page(request: HttpRequest, status: HTTPStatus, title: str, text: str) -> HttpResponse | None:
    """Return the page within the administration; None elsewhere, and for users without access."""
    user = getattr(request, "user", None)
    if handlers.is_for_program(request) or not (
        request.path_info.startswith(f"/{ADMINISTRATION}") and user and user.is_active and user.is_staff
    ):
        return None
    context = {**admin.site.each_context(request), "title": title, "text": text}
    return HttpResponse(render_to_string("admin/refused.html", context, request), status=status)
