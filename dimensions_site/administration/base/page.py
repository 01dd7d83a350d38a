"""A page of an admin, besides those that Django makes: the admin lists its pages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.views.decorators.http import require_http_methods

from dimensions_site.repositories.login.kept_forms import keeping_what_was_typed


@dataclass(frozen=True)
class Page:
    """The `name` of a URL, the pattern of its `address`, and its `view`: a function of the admin, the request and what
    the address names.

    It takes one `method` or all, from users with the `permission` of the admin or any. With `again`, it keeps what was
    typed, as `keeping_what_was_typed` does.
    """

    name: str
    address: str
    view: Callable[..., Any]
    method: str = ""
    permission: str = ""
    again: Callable[..., Any] | None = None

    def view_of(self, admin: ModelAdmin[Any]) -> Callable[..., Any]:
        """Return the view of this page of `admin`, for users who are signed in."""

        def view(request: HttpRequest, **named: Any) -> Any:
            if self.permission and not getattr(admin, f"has_{self.permission}_permission")(request):
                raise PermissionDenied
            return self.view(admin, request, **named)

        if self.again is not None:
            return keeping_what_was_typed(admin.admin_site, view, again=partial(self.again, admin))
        return admin.admin_site.admin_view(require_http_methods([self.method])(view) if self.method else view)
