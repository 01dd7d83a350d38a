"""How often a caller may call, and how often credentials may be refused that come from one address (contract A6, G1).

Counted in Django's cache, in whole seconds, minutes, hours or days of the clock: that takes two short steps that no
other process can come between. REST framework's own classes read and write a list of moments, and lose some of them
when many call at once.
"""

import math
import time
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from dimensions_site.api.errors import Problem
from dimensions_site.api.rates import Rate

if TYPE_CHECKING:
    # REST framework's views import the authentication classes, and those import this module.
    from rest_framework.views import APIView

_REFUSED = "THROTTLE_REFUSED"
# Where a request keeps that its refusal has been counted: several places come to know of it.
_IS_COUNTED = "dimensions.refusal_is_counted"
# Somebody who has one address of version 6 has as many as he likes: all of his network.
_NETWORK_BITS = 64
_NOBODY = "::"


class CallThrottle(BaseThrottle):
    """Refuses a user's calls beyond THROTTLE_CALLS, whatever they are and however he shows who he is."""

    setting = "THROTTLE_CALLS"
    what = "calls"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the call; raises Problem 429 beyond the rate, which REST framework's own refusal would not name."""
        rate: Rate | None = getattr(settings, self.setting)
        if rate is not None and self.is_meant(request) and _counted(self.setting, str(request.user.pk), rate):
            raise _caller_problem(rate, self.what)
        return True

    def is_meant(self, request: Request) -> bool:
        """Whether the rate is for such a call."""
        return True


class BulkThrottle(CallThrottle):
    """Refuses a user's bulk saves and starts of bulk deletions beyond THROTTLE_BULK."""

    setting = "THROTTLE_BULK"
    what = "bulk saves and deletions"

    def is_meant(self, request: Request) -> bool:
        return request.method == "POST"


def called_too_often(caller: str) -> Problem | None:
    """Return the 429 for a caller who has used up THROTTLE_CALLS, without counting one more call.

    For where tokens are issued, before a hash is computed: nobody has shown there yet who he is.
    `caller` is the key of a user as a text, or another text of at most 200 printable characters.
    """
    rate: Rate | None = settings.THROTTLE_CALLS
    if rate is None or cache.get(_key(CallThrottle.setting, caller, rate), 0) < rate.count:
        return None
    return _caller_problem(rate, CallThrottle.what)


def count_call(caller: str) -> Problem | None:
    """Count a call of the caller, as `called_too_often` names him; return the 429 when that is one too many."""
    rate: Rate | None = settings.THROTTLE_CALLS
    if rate is None or not _counted(CallThrottle.setting, caller, rate):
        return None
    return _caller_problem(rate, CallThrottle.what)


def refused_too_often(request: HttpRequest) -> Problem | None:
    """Return the 429 for an address from which too many refused credentials came, without counting one more."""
    rate: Rate | None = settings.THROTTLE_REFUSED
    if rate is None or cache.get(_key(_REFUSED, address_of(request), rate), 0) < rate.count:
        return None
    return _address_problem(rate)


def count_refusal(request: HttpRequest) -> Problem | None:
    """Count that the credentials of the request were refused, once; return the 429 when that was once too often."""
    rate: Rate | None = settings.THROTTLE_REFUSED
    if rate is None or request.META.get(_IS_COUNTED):
        return None
    request.META[_IS_COUNTED] = True
    return _address_problem(rate) if _counted(_REFUSED, address_of(request), rate) else None


def address_of(request: HttpRequest) -> str:
    """Return the address that counts for the caller."""
    return counted_address(request.META.get("REMOTE_ADDR", ""))


def counted_address(text: str) -> str:
    """Return the address by which callers are counted: their own, or their network in version 6.

    All who have none, because they come through a unix socket that is not trusted, count as one.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return _NOBODY
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(ip_network((int(address), _NETWORK_BITS), strict=False).network_address)
        address = address.ipv4_mapped
    return str(address)


def _counted(scope: str, who: str, rate: Rate) -> bool:
    """Count one more; tell whether it is one too many."""
    key = _key(scope, who, rate)
    cache.add(key, 0, 2 * rate.seconds)
    try:
        return cache.incr(key) > rate.count
    except ValueError:  # a full cache has dropped it in between
        return False


def _key(scope: str, who: str, rate: Rate) -> str:
    return f"{scope}:{who}:{rate.period}:{int(time.time() // rate.seconds)}"


def _rest(rate: Rate) -> int:
    """The seconds until the period ends."""
    return math.ceil(rate.seconds - time.time() % rate.seconds)


def _caller_problem(rate: Rate, what: str) -> Problem:
    detail = f"You have made {rate.count:,} {what} within this {rate.period}, and no more are taken"
    return _too_often("TOO_MANY_CALLS", detail, _rest(rate))


def _address_problem(rate: Rate) -> Problem:
    detail = f"Credentials from your address were refused {rate.count:,} times within this {rate.period}"
    return _too_often("TOO_MANY_REFUSALS", f"{detail}, and no more are looked at", _rest(rate))


def _too_often(code: str, detail: str, seconds: int) -> Problem:
    headers = {"Retry-After": str(seconds)}
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, code, f"{detail}; go on in {seconds:,} seconds.", headers=headers)
