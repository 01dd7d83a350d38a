"""Lock user names after too many wrong passwords (contract G1; design/sign-in.md).

Failures are counted twice: consecutive ones, per user name and address, and those within a day, per user name.
Addresses from which the user has recently signed in have a daily count of their own, so that failures from elsewhere do
not lock out the people and programs that use the account (NIST SP 800-63B, throttling).
"""

import math
import unicodedata
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError
from django.db.models import Q, QuerySet
from django.db.transaction import atomic
from django.utils import timezone

from dimensions_site.api.errors import Problem, too_many_requests
from dimensions_site.db.transactions import is_about_locks, sqlite_timeout
from dimensions_site.observability import metrics
from dimensions_site.repositories.models import LoginFailures

log = structlog.get_logger(__name__)

_LONGEST_NAME = 150
# While a bulk save holds SQLite's write lock, failures are counted in the cache, by address.
_TIMEOUT = 1
# How long an address stays known after the last login from it, which is stored once a day.
_KNOWN_FOR = timedelta(days=30)
_WRITTEN_EACH = timedelta(days=1)
# Older failures are irrelevant to lockouts, but operators may look up recent ones.
_KEPT = timedelta(days=7)


class LoginAttempt:
    """A password sent for a user name, which may not exist, from an address.

    One query reads the failures of the name at the address and from everywhere.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = comparable_name(name), address
        found = LoginFailures.objects.filter(name=self.name, address__in=[LoginFailures.EVERYWHERE, address])
        self._records = {record.address: record for record in found}

    def refusal(self) -> Problem | None:
        """Return the 429 for a locked name, or None if the password may be checked."""
        return _refusal(self._records.get(self.address), self._records.get(self._daily_address))

    def failed(self) -> Problem | None:
        """Count a wrong password; return the 429 if that locks the name."""
        try:
            with sqlite_timeout(_TIMEOUT), atomic():
                records = self._locked_records()
                own, of_day = records[self.address], records[self._daily_address]
                for record in records.values():
                    record.count(at_address=record is own, of_day=record is of_day)
                    record.save()
        except OperationalError as error:
            if not is_about_locks(error):
                raise
            return None
        if of_day.daily_failures == settings.LOGIN_ACCOUNT_ATTEMPTS:
            _report(of_day)
        return _refusal(own, of_day)

    def succeeded(self) -> None:
        """Reset the failures at the address, and store the login unless that was done within a day."""
        own, now = self._records.get(self.address), timezone.now()
        has_failed = own is not None and (own.failures or own.daily_failures)
        if own and own.succeeded_at and own.succeeded_at > now - _WRITTEN_EACH and not has_failed:
            return
        row = LoginFailures(name=self.name, address=self.address, succeeded_at=now)
        changed = ["failures", "failed_at", "daily_failures", "day_began_at", "succeeded_at"]
        try:
            with sqlite_timeout(_TIMEOUT if has_failed else 0), atomic():
                LoginFailures.objects.bulk_create(
                    [row], update_conflicts=True, unique_fields=["name", "address"], update_fields=changed
                )
        except DatabaseError as error:
            # A correct password counts even if nothing can be written; the next login tries again.
            if not (isinstance(error, OperationalError) and is_about_locks(error)):
                log.warning("login_not_recorded", error=str(error))

    @property
    def _daily_address(self) -> str:
        """Return the address if it is known, else the value that stands for all other addresses."""
        own = self._records.get(self.address)
        is_known = own and own.succeeded_at and own.succeeded_at > timezone.now() - _KNOWN_FOR
        return self.address if is_known else LoginFailures.EVERYWHERE

    def _locked_records(self) -> dict[str, LoginFailures]:
        """Return the records in which a failure is counted, by address, locked until the commit."""
        # Always in the same order, so that two transactions cannot deadlock.
        addresses = sorted({self.address, self._daily_address})
        new = [LoginFailures(name=self.name, address=address) for address in addresses]
        LoginFailures.objects.bulk_create(new, ignore_conflicts=True)
        found = LoginFailures.objects.select_for_update().filter(name=self.name, address__in=addresses)
        return {record.address: record for record in found.order_by("address")}


def with_failures() -> QuerySet[LoginFailures]:
    """Return the records with failures; the others only store that an address is known."""
    return LoginFailures.objects.filter(Q(failures__gt=0) | Q(daily_failures__gt=0))


def unlock(records: QuerySet[LoginFailures]) -> int:
    """Reset the failures of the records and return their number; known addresses stay known."""
    return records.update(failures=0, daily_failures=0)


def delete_old_failures() -> None:
    """Delete the records that are no longer relevant."""
    now = timezone.now()
    is_recent = Q(failed_at__gte=now - _KEPT)
    is_known = Q(succeeded_at__gt=now - _KNOWN_FOR)
    old = LoginFailures.objects.exclude(is_recent).exclude(is_known).order_by()
    old._raw_delete(old.db)  # there may be very many, and nothing refers to them


def comparable_name(name: str) -> str:
    """Return the same bounded text for all user names that look alike."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    # PostgreSQL cannot store NUL and lone surrogates.
    storable = folded.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", storable)[:_LONGEST_NAME]


def _refusal(own: LoginFailures | None, of_day: LoginFailures | None) -> Problem | None:
    if own and (end := own.locked_until):
        detail = f"There were {settings.LOGIN_ATTEMPTS:,} wrong passwords for this user name from your address; "
        return _locked_out("LOGIN_LOCKED", end, detail + "passwords are checked again in {seconds:,} seconds.")
    if of_day and (end := of_day.locked_for_day_until):
        detail = f"There were {settings.LOGIN_ACCOUNT_ATTEMPTS:,} wrong passwords for this user name within a day; "
        again = "passwords are checked again in {seconds:,} seconds, or when an administrator unlocks the name."
        return _locked_out("ACCOUNT_LOCKED", end, detail + again)
    return None


def _locked_out(code: str, end: datetime, detail: str) -> Problem:
    seconds = max(1, math.ceil((end - timezone.now()).total_seconds()))
    return too_many_requests(code, detail.format(seconds=seconds), seconds)


def _report(record: LoginFailures) -> None:
    """Log and count that a name is locked; an unknown user name may be a password and is not logged."""
    is_user = User.objects.filter(username__iexact=record.name).exists()
    metrics.ACCOUNTS_LOCKED.inc()
    log.warning("account_locked", subject={"user": record.name if is_user else None}, failures=record.daily_failures)
