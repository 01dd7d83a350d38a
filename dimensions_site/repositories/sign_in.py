"""The form of the page on which people sign in to the administration."""

from django.core.exceptions import ValidationError
from django.utils.translation import ngettext
from unfold.forms import AuthenticationForm

from dimensions_site.api.logins import login_refusal


class SignInForm(AuthenticationForm):
    """Says why a password was not even looked at."""

    def get_invalid_login_error(self) -> ValidationError:
        """What is wrong with name and password, or that too many were wrong before (contract G1)."""
        problem = login_refusal(self.request) if self.request is not None else None
        if problem is None:
            return super().get_invalid_login_error()
        minutes = -(-int(problem.headers["Retry-After"]) // 60)
        text = ngettext(
            "There were too many wrong passwords. Please try again in %(minutes)d minute.",
            "There were too many wrong passwords. Please try again in %(minutes)d minutes.",
            minutes,
        )
        return ValidationError(text % {"minutes": minutes})
