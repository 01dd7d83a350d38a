"""What is forgotten of tokens once a day."""

from django.utils import timezone
from oauth2_provider.models import clear_expired
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken


def forget_expired() -> None:
    """Delete what is kept of tokens that have expired, for which nobody can ask any more."""
    clear_expired()
    OutstandingToken.objects.filter(expires_at__lte=timezone.now()).delete()
