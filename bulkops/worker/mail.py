"""Sends the mail that waits (contract O6), in a process of its own: a mail server that hangs holds no job.

An attempt is claimed by moving the next one, so a mail is lost neither with its process nor with its server, and the
number of attempts is bounded. A process that ends right after sending leaves a mail that is sent once more.
"""

import time
from collections.abc import Sequence
from datetime import timedelta
from multiprocessing.context import ForkProcess
from smtplib import SMTPException
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.validators import validate_email
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from bulkops.models import MailChoice, MailFrequency, Plan, PlanNotice, PlanStatus
from bulkops.worker.processes import start_process
from dimensions_site.observability.metrics import MAILS
from dimensions_site.repositories.permissions import repositories_open_to
from dimensions_site.text.formats import grouped_number

log = structlog.get_logger(__name__)

_SMTP = "django.core.mail.backends.smtp.EmailBackend"
MAIL_ATTEMPTS = 5
# Longer than an attempt takes; twice as long after each.
_FIRST_PAUSE = timedelta(minutes=2)
# How many plans one mail names.
MAX_PLANS = 50
# Seconds between two looks for mail to send.
_POLL = 2.0
# What each outcome is called, and who is named in it.
_OUTCOMES = {
    PlanStatus.APPROVED: (gettext_lazy("%(name)s has approved your change proposal."), "decided_by"),
    PlanStatus.REJECTED: (gettext_lazy("%(name)s has rejected your change proposal."), "decided_by"),
    PlanStatus.APPLIED: (gettext_lazy("%(name)s has applied your change proposal."), "applied_by"),
}


def send_due_mail() -> None:
    """Send what is due, one mail for each person, until nothing is left."""
    while notices := _claim():
        _send(notices)


def _due() -> QuerySet[PlanNotice]:
    return PlanNotice.objects.filter(due_at__lte=Now())


def _claim() -> list[PlanNotice]:
    """Return the next notices of one person that are due, whose next attempt is later now."""
    # Without a transaction, for which all writers would wait on SQLite.
    if not _due().exists():
        return []
    with transaction.atomic():
        first = _due().order_by("due_at", "pk").select_for_update(skip_locked=True).first()
        if first is None:
            return []
        others = _due().filter(user=first.user_id, attempts=first.attempts)
        found = list(others.order_by("plan__created_at").select_for_update(of=("self",), skip_locked=True)[:MAX_PLANS])
        attempts = first.attempts + 1
        due_at = None if attempts >= MAIL_ATTEMPTS else Now() + _FIRST_PAUSE * 2**first.attempts
        keys = [notice.pk for notice in found]
        PlanNotice.objects.filter(pk__in=keys).update(attempts=attempts, due_at=due_at)
    return list(PlanNotice.objects.filter(pk__in=keys).select_related("user", "plan__repository").order_by("pk"))


def _send(claimed: Sequence[PlanNotice]) -> None:
    """Send one mail with the `claimed` notices of a person that still hold, and delete all of them; or record that it
    could not be sent.
    """
    if not claimed:  # the plans were deleted meanwhile
        return
    user, attempt = claimed[0].user, claimed[0].attempts
    # A notice that was renewed meanwhile is not of this attempt.
    own = PlanNotice.objects.filter(pk__in=[notice.pk for notice in claimed], attempts=attempt)
    choice = MailChoice.objects.filter(user=user).first() or MailChoice(user=user, language=settings.LANGUAGE_CODE)
    plans = [notice.plan for notice in claimed if _holds(notice)]
    if plans and user.is_active and choice.frequency != MailFrequency.NONE:
        try:
            validate_email(user.email)
            message = letter(user, plans, choice.language)
            with get_connection(_SMTP, **settings.MAIL_SERVER) as message.connection:
                message.send()
        except Exception as error:
            # What the mail server answers may quote addresses and names, so only the kind of the error is logged.
            is_usual = isinstance(error, SMTPException | OSError | ValueError)
            names = {"user": user.get_username(), "attempt": attempt, "error": type(error).__name__}
            log.warning("mail_not_sent", **names, exc_info=not is_usual)
            MAILS.labels("failed").inc()
            own.update(failed_at=Now())
            return
        log.info("mail_sent", user=user.get_username(), plans=[str(plan.pk) for plan in plans])
        MAILS.labels("sent").inc()
    own.delete()


def _holds(notice: PlanNotice) -> bool:
    """Return whether the person may still see the plan, and it still waits for them or has an outcome for them."""
    plan, user = notice.plan, notice.user
    if plan.status not in (_OUTCOMES if plan.requester_key == user.pk else (PlanStatus.READY,)):
        return False
    return repositories_open_to(user, plan.dimension).filter(pk=plan.repository_id).exists()


def letter(user: User, plans: Sequence[Plan], language: str) -> EmailMultiAlternatives:
    """Return the mail to `user` about the `plans`, as text and as HTML, in the `language`.

    An own plan comes with its outcome, another with the question for a decision.
    """
    with override(language):
        items = [_item(user, plan) for plan in plans]
        if len(plans) == 1:
            where = f"{plans[0].repository.name}, {plans[0].get_dimension_display()}"
            subject = _named(where, items[0]["lead"])
        else:
            subject = _("%(number)s change proposals") % {"number": grouped_number(len(plans))}
        context = {
            "language": language,
            "subject": subject,
            "items": items,
            "why": _("Who may decide on a change proposal, and its author, get this mail. Choose when you get it:"),
            "choice": _absolute(reverse("own_mail")),
        }
        text, html = (render_to_string(f"mail/plans.{kind}", context) for kind in ("txt", "html"))
    # A name cannot add a header: line breaks become blanks.
    message = EmailMultiAlternatives(" ".join(subject.split()), text, to=[user.email])
    message.extra_headers = {"Auto-Submitted": "auto-generated"}
    message.attach_alternative(html, "text/html")
    return message


def _item(user: User, plan: Plan) -> dict[str, Any]:
    """Return what a mail says about one plan: a sentence, lines with a name and a value, the address of its page."""
    if plan.requester_key == user.pk and plan.status in _OUTCOMES:
        sentence, who = _OUTCOMES[PlanStatus(plan.status)]
        lead = str(sentence) % {"name": getattr(plan, who)}
    else:
        lead = _("%(name)s asks for your decision on a change proposal.") % {"name": plan.requester}
    is_done = plan.status == PlanStatus.APPLIED
    facts = {
        _("Repository"): str(plan.repository),
        _("Kind"): plan.get_dimension_display(),
        _("Reason"): plan.reason or _("none given"),
        capfirst(_("created") if is_done else _("to be created")): grouped_number(plan.created),
        capfirst(_("changed") if is_done else _("to be changed")): grouped_number(plan.changed),
        capfirst(_("deleted") if is_done else _("to be deleted")): grouped_number(plan.deleted),
    }
    if plan.decided_by and is_done:
        facts[_("Approved by")] = plan.decided_by
    if plan.decision_text:
        facts[capfirst(_("remark"))] = plan.decision_text
    lines = [_named(name, value) for name, value in facts.items()]
    address = _absolute(reverse("admin:bulkops_plan_change", args=[plan.pk]))
    return {"lead": lead, "lines": lines, "address": address}


def _named(name: str, value: str) -> str:
    # French has a blank before the colon.
    return _("%(name)s: %(value)s") % {"name": name, "value": value}


def _absolute(path: str) -> str:
    return f"{settings.SITE_ADDRESS}{path}"


class MailProcess:
    """The process that sends mail; none without a mail server."""

    def __init__(self) -> None:
        self._process: ForkProcess | None = None

    def check(self) -> None:
        if not settings.MAIL_SERVER or (self._process is not None and self._process.is_alive()):
            return
        connection.close()  # it must not use a connection of this process
        self._process = start_process(_send_all)

    def close(self) -> None:
        """End the process; a mail on its way is sent again later."""
        if self._process is not None:
            self._process.kill()
            self._process.join()


def _send_all() -> None:
    while True:
        try:
            send_due_mail()
        except (DatabaseError, InterfaceError) as error:
            log.warning("database_unavailable", error=str(error))
            connection.close_if_unusable_or_obsolete()
        time.sleep(_POLL)
