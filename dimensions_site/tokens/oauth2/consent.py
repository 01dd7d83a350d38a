"""`/auth/oauth2/authorize`: the page on which users consent to an application (contract G1)."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _
from oauth2_provider.http import OAuth2ResponseRedirect
from oauth2_provider.views import AuthorizationView

from dimensions_site.api.middleware.addresses import query_error
from dimensions_site.tokens.models import Application
from dimensions_site.tokens.oauth2.server import RESOURCE, error_of

# The meaning of each scope, in the languages of the administration.
_SCOPES = {
    "read": _("Read accounts and currencies"),
    "propose": _("Read accounts and currencies, and propose changes"),
    "write": _("Read, create, change and replace accounts and currencies"),
    "manage": _("Read, create, change, replace and delete accounts and currencies"),
}
# OpenID Connect parameters with which the library would skip consent, or redirect to pages that do not exist here.
_IGNORED = ("approval_prompt", "prompt")


class ConsentView(AuthorizationView):
    """Asks the signed-in user each time; others are redirected to the login page of the administration first."""

    template_name = "admin/tokens/consent.html"
    http_method_names = ("get", "head", "post", "options")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Respond with the page, or reject unreadable and ambiguous parameters."""
        if reason := query_error(request.META.get("QUERY_STRING", "")):
            raise SuspiciousOperation(f"The query string {reason}.")
        for sent in (request.GET, request.POST):
            if error := error_of(sent):
                raise SuspiciousOperation(error.description)
        parameters: Any = request.GET.copy()
        for name in _IGNORED:
            parameters.pop(name, None)
        request.GET = parameters
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        """Redirect the browser back to the application. Raises SuspiciousOperation for a manipulated form."""
        application = Application.objects.filter(client_id=form.cleaned_data["client_id"]).first()
        if application is None or not application.redirect_uri_allowed(form.cleaned_data["redirect_uri"]):
            raise SuspiciousOperation("The form names another application than the page.")
        # The library uses the form's redirect URI, and without one fails on that of the URL.
        if form.cleaned_data["resource"].split() != " ".join(self.request.GET.getlist(RESOURCE)).split():
            raise SuspiciousOperation("The form names another resource than the page.")
        response: HttpResponse = super().form_valid(form)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        rights = [_SCOPES[scope] for scope in context.get("scopes", ())]
        return {
            **admin.site.each_context(self.request),
            **context,
            "rights": rights,
            "title": _("Access for a program"),
        }

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> HttpResponse:
        """Return the page; its policy allows the form to end at the application's URI."""
        page = {**self.get_context_data(), **context} if "error" in context else context
        response: HttpResponse = super().render_to_response(page, **response_kwargs)
        if context.get("redirect_uri"):
            target = urlsplit(context["redirect_uri"])
            vars(response)["_csp_update"] = {"form-action": [f"{target.scheme}://{target.netloc}"]}
        return response

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """Redirect to registered URIs only, even where the library does not know the application."""
        response: HttpResponse = OAuth2ResponseRedirect(redirect_to, Application().get_allowed_schemes())
        return response
