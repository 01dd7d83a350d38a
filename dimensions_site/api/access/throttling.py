"""Rate limits for calls of a user, and for refused credentials of an address (contracts A6, G1).

Counts are in Django's cache, per second, minute, hour or day of the clock, with atomic increments. REST framework's
own throttles read and write a list of timestamps, and lose some of them under concurrent requests.
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
from dimensions_site.environment import Rate

_REFUSAL = "dimensions.login_refusal"


def refuse_login(request: HttpRequest, problem: Problem) -> None:
    """Attach the 429 to the request, for the code that received the password."""
    request.META[_REFUSAL] = problem


def login_refusal(request: HttpRequest) -> Problem | None:
    """Return the 429 attached to the request."""
    problem: Problem | None = request.META.get(_REFUSAL)
    return problem


if TYPE_CHECKING:
    # REST framework's views import the authentication classes, and those import this module.
    from rest_framework.views import APIView

_REFUSED = "THROTTLE_REFUSED"
# Marks a request whose refusal has been counted: several modules detect it.
_IS_COUNTED = "dimensions.refusal_is_counted"
# An IPv6 client controls a whole network of addresses.
_NETWORK_BITS = 64
_NO_ADDRESS = "::"


class CallThrottle(BaseThrottle):
    """Limits the calls of a user to THROTTLE_CALLS, in all authentication modes together."""

    setting = "THROTTLE_CALLS"
    what = "calls"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the call; raise Problem 429 beyond the rate, with the details that REST framework's error lacks."""
        rate: Rate | None = getattr(settings, self.setting)
        if rate is not None and self.applies_to(request) and _is_exceeded(self.setting, str(request.user.pk), rate):
            raise _call_problem(rate, self.what)
        return True

    def applies_to(self, request: Request) -> bool:
        """Return whether the rate limits this call."""
        return True


class BulkThrottle(CallThrottle):
    """Limits a user's bulk saves and bulk deletions to THROTTLE_BULK."""

    setting = "THROTTLE_BULK"
    what = "bulk saves and deletions"

    def applies_to(self, request: Request) -> bool:
        return request.method == "POST"


def call_limit_problem(client: str) -> Problem | None:
    """Return the 429 for a client that has used up THROTTLE_CALLS, without counting a call.

    Token endpoints call this before they compute a hash, when the client is not authenticated yet. `client` is the
    primary key of a user as text, or another text of at most 200 printable characters.
    """
    rate: Rate | None = settings.THROTTLE_CALLS
    if rate is None or cache.get(_key(CallThrottle.setting, client, rate), 0) < rate.count:
        return None
    return _call_problem(rate, CallThrottle.what)


def count_call(client: str) -> Problem | None:
    """Count a call of `client`, as in `call_limit_problem`; return the 429 if it exceeds the limit."""
    rate: Rate | None = settings.THROTTLE_CALLS
    if rate is None or not _is_exceeded(CallThrottle.setting, client, rate):
        return None
    return _call_problem(rate, CallThrottle.what)


def count_page(user: str) -> Problem | None:
    """Count a request for an administration page by a user's primary key; return the 429 if it exceeds the limit."""
    rate: Rate | None = settings.THROTTLE_ADMIN
    if rate is None or not _is_exceeded("THROTTLE_ADMIN", user, rate):
        return None
    return _call_problem(rate, "requests for pages")


def refusal_limit_problem(request: HttpRequest) -> Problem | None:
    """Return the 429 for an address with too many refused credentials, without counting one more."""
    rate: Rate | None = settings.THROTTLE_REFUSED
    if rate is None or cache.get(_key(_REFUSED, address_of(request), rate), 0) < rate.count:
        return None
    return _address_problem(rate)


def count_refusal(request: HttpRequest) -> Problem | None:
    """Count the refused credentials of the request once; return the 429 if they exceed the limit."""
    rate: Rate | None = settings.THROTTLE_REFUSED
    if rate is None or request.META.get(_IS_COUNTED):
        return None
    request.META[_IS_COUNTED] = True
    return _address_problem(rate) if _is_exceeded(_REFUSED, address_of(request), rate) else None


def address_of(request: HttpRequest) -> str:
    """Return the address under which the client is counted."""
    return counted_address(request.META.get("REMOTE_ADDR", ""))


def counted_address(text: str) -> str:
    """Return the address under which a client is counted: its IPv4 address or IPv6 network.

    All clients without an address, on an untrusted unix socket, count as one.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return _NO_ADDRESS
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(ip_network((int(address), _NETWORK_BITS), strict=False).network_address)
        address = address.ipv4_mapped
    return str(address)


def _is_exceeded(scope: str, client: str, rate: Rate) -> bool:
    """Count one more; return whether it exceeds the rate."""
    key = _key(scope, client, rate)
    try:
        return cache.incr(key) > rate.count
    except ValueError:  # the first in this period
        cache.add(key, 0, 2 * rate.seconds)
    try:
        return cache.incr(key) > rate.count
    except ValueError:  # evicted from a full cache in between
        return False


def _key(scope: str, client: str, rate: Rate) -> str:
    return f"{scope}:{client}:{rate.period}:{int(time.time() // rate.seconds)}"


def _seconds_left(rate: Rate) -> int:
    """Return the seconds until the period ends."""
    return math.ceil(rate.seconds - time.time() % rate.seconds)


def _call_problem(rate: Rate, what: str) -> Problem:
    detail = f"You have made {rate.count:,} {what} within this {rate.period}, which is the limit"
    return _too_many_requests("TOO_MANY_CALLS", detail, _seconds_left(rate))


def _address_problem(rate: Rate) -> Problem:
    detail = f"Credentials from your address were refused {rate.count:,} times within this {rate.period}"
    return _too_many_requests("TOO_MANY_REFUSALS", f"{detail}, which is the limit", _seconds_left(rate))


def _too_many_requests(code: str, detail: str, seconds: int) -> Problem:
    headers = {"Retry-After": str(seconds)}
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, code, f"{detail}; retry in {seconds:,} seconds.", headers=headers)
