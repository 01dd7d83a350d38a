"""Rate limits for calls of a user, and for refused credentials of an address (contracts A6, G1; design/access.md).

Counts are in Django's cache, per second, minute, hour or day of the clock, with atomic increments. REST framework's
own throttles read and write a list of timestamps, and lose some of them under concurrent requests.
"""

import math
import time
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from dimensions_site.api.errors import Problem, too_many_requests
from dimensions_site.environment import Rate

if TYPE_CHECKING:
    # REST framework's views import the authentication classes, and those import this module.
    from rest_framework.views import APIView

# The key of the request under which a 429 waits for the code that received the password.
_LOGIN_REFUSAL = "dimensions.login_refusal"
# Marks a request whose refusal has been counted: several modules detect it.
_IS_COUNTED = "dimensions.refusal_is_counted"
# The limits that count a request as a call: name, rate and what is left, for the headers of its answer.
_COUNTED = "dimensions.counted_calls"
# An IPv6 client controls a whole network of addresses.
_NETWORK_BITS = 64
_NO_ADDRESS = "::"


class Limit:
    """The rate in a setting, for each client: the primary key of a user as text, an address, or another short text."""

    def __init__(self, setting: str, *, code: str, event: str) -> None:
        self._setting = setting
        self._code = code
        self._event = event

    def problem(self, client: str) -> Problem | None:
        """Return the 429 for a client that has used up the rate, without counting.

        Token endpoints call this before they compute a hash, when the client is not authenticated yet.
        """
        rate = self.rate
        if rate is None or cache.get(_key(self._setting, client, rate), 0) < rate.count:
            return None
        return self._refusal(rate)

    @property
    def rate(self) -> Rate | None:
        """The rate in the setting; None without a limit."""
        rate: Rate | None = getattr(settings, self._setting)
        return rate

    def count(self, client: str) -> Problem | None:
        """Count one more; return the 429 if it exceeds the rate."""
        rate = self.rate
        return self._refusal(rate) if rate and self.counted(client, rate) > rate.count else None

    def counted(self, client: str, rate: Rate) -> int:
        """Count one more; return the number in this period."""
        return _counted(_key(self._setting, client, rate), rate)

    def _refusal(self, rate: Rate) -> Problem:
        seconds = _left(rate)
        event = self._event.format(f"{rate.count:,}")
        detail = f"{event} within this {rate.period}, which is the limit; retry in {seconds:,} seconds."
        return too_many_requests(self._code, detail, seconds)


_CALLS = Limit("THROTTLE_CALLS", code="TOO_MANY_CALLS", event="You have made {} calls")
_BULK = Limit("THROTTLE_BULK", code="TOO_MANY_CALLS", event="You have made {} bulk saves and deletions")
_PAGES = Limit("THROTTLE_ADMIN", code="TOO_MANY_CALLS", event="You have made {} requests for pages")
_REFUSALS = Limit(
    "THROTTLE_REFUSED", code="TOO_MANY_REFUSALS", event="Credentials from your address were refused {} times"
)

call_limit_problem = _CALLS.problem
count_call = _CALLS.count
count_page = _PAGES.count


class CallThrottle(BaseThrottle):
    """Limits the calls of a user to THROTTLE_CALLS, in all authentication modes together."""

    name, limit = "calls", _CALLS

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the call; raise Problem 429 beyond the rate, with the details that REST framework's error lacks."""
        rate = self.limit.rate
        if rate is not None:
            count = self.limit.counted(str(request.user.pk), rate)
            request._request.META.setdefault(_COUNTED, []).append((self.name, rate, max(0, rate.count - count)))
            if count > rate.count:
                raise self.limit._refusal(rate)
        return True


class BulkThrottle(CallThrottle):
    """Limits a user's bulk saves and bulk deletions to THROTTLE_BULK."""

    name, limit = "bulk", _BULK

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return request.method != "POST" or super().allow_request(request, view)


def rate_headers(request: HttpRequest) -> dict[str, str]:
    """Return the headers of the answer to a counted call (draft-ietf-httpapi-ratelimit-headers-10, contract M7)."""
    counted = request.META.get(_COUNTED, ())
    policies = (f'"{name}";q={rate.count};w={rate.seconds}' for name, rate, _ in counted)
    limits = (f'"{name}";r={left};t={_left(rate)}' for name, rate, left in counted)
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(limits)} if counted else {}


def refusal_limit_problem(request: HttpRequest) -> Problem | None:
    """Return the 429 for an address with too many refused credentials, without counting one more."""
    return _REFUSALS.problem(client_address(request))


def count_refusal(request: HttpRequest) -> Problem | None:
    """Count the refused credentials of the request once; return the 429 if they exceed the limit."""
    if request.META.get(_IS_COUNTED):
        return None
    request.META[_IS_COUNTED] = True
    return _REFUSALS.count(client_address(request))


def refuse_login(request: HttpRequest, problem: Problem) -> None:
    """Attach the 429 to the request, for the code that received the password."""
    request.META[_LOGIN_REFUSAL] = problem


def login_refusal(request: HttpRequest) -> Problem | None:
    """Return the 429 attached to the request."""
    problem: Problem | None = request.META.get(_LOGIN_REFUSAL)
    return problem


def client_address(request: HttpRequest) -> str:
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


def _counted(key: str, rate: Rate) -> int:
    """Count one more; return the number."""
    try:
        return cache.incr(key)
    except ValueError:  # the first in this period
        cache.add(key, 0, 2 * rate.seconds)
    try:
        return cache.incr(key)
    except ValueError:  # evicted from a full cache in between
        return 1


def _left(rate: Rate) -> int:
    return math.ceil(rate.seconds - time.time() % rate.seconds)


def _key(scope: str, client: str, rate: Rate) -> str:
    return f"{scope}:{client}:{rate.period}:{int(time.time() // rate.seconds)}"
