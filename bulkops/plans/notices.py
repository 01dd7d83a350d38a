"""Who is to get mail about a plan: those who may decide on it, and its author afterwards (contract O6).

The notices are stored with the plan or the decision, in one transaction; a worker sends them (`bulkops.worker.mail`).
"""

from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bulkops.models import MailFrequency, Plan, PlanNotice, PlanStatus
from bulkops.plans.stored import deciding_role
from dimensions_site.repositories.dimensions import ALL
from dimensions_site.repositories.models import AccessGrant
from dimensions_site.repositories.permissions import repositories_open_to

log = structlog.get_logger(__name__)

# How many people get mail about one plan.
MAX_RECIPIENTS = 100
# Mail waits this long, so that an approval and the application right after it are one mail.
_GATHERING = timedelta(seconds=3)


def notify_deciders(plan: Plan) -> None:
    """Have the new `plan` mailed to those who may decide on it, if it waits for them.

    That are the users with grants for its role, direct or by group, up to `MAX_RECIPIENTS`; not superusers without one.
    """
    if not settings.MAIL_SERVER or not _waits(plan):
        return
    here = {"repository": plan.repository_id, "dimension__in": [ALL, plan.dimension], "role__gte": deciding_role(plan)}
    grants = AccessGrant.objects.filter(**here).order_by()
    may_decide = Q(pk__in=grants.values("user")) | Q(
        pk__in=User.groups.through.objects.filter(group__in=grants.values("group")).values("user")
    )
    # As `bulkops.plans.deciding.is_own`: neither is asked to decide.
    others = User.objects.filter(may_decide).exclude(username=plan.requester)
    if plan.requester_key is not None:
        others = others.exclude(pk=plan.requester_key)
    _notify(plan, others)


def notify_author(plan: Plan) -> None:
    """Have the outcome of the `plan` mailed to its author."""
    if settings.MAIL_SERVER and plan.requester_key is not None:
        _notify(plan, User.objects.filter(pk=plan.requester_key))


def _waits(plan: Plan) -> bool:
    """Return whether another person than the author has to decide: an approval is required, or they may not apply it
    themselves. What a table was checked for is not proposed yet.
    """
    changes_any = plan.created or plan.changed or plan.deleted
    if plan.status != PlanStatus.READY or not changes_any or plan.table_digest is not None:
        return False
    if plan.repository.approval_of(plan.dimension).requires(deletes=plan.deleted > 0):
        return True
    author = User.objects.filter(pk=plan.requester_key or 0).first()
    if author is None:  # a command, which may apply it
        return False
    return not repositories_open_to(author, plan.dimension, deciding_role(plan)).filter(pk=plan.repository_id).exists()


def _notify(plan: Plan, people: QuerySet[User]) -> None:
    """Store a notice for each of the `people` who is active, has an address and wants mail."""
    wanting = people.filter(is_active=True).exclude(email="").exclude(mail_choice__frequency=MailFrequency.NONE)
    found = list(wanting.order_by("pk").values_list("pk", "mail_choice__frequency")[: MAX_RECIPIENTS + 1])
    if len(found) > MAX_RECIPIENTS:
        log.warning("mail_recipients_limited", plan=str(plan.pk), maximum=MAX_RECIPIENTS)
    at_once, daily = Now() + _GATHERING, _next_daily_mail()
    notices = [
        PlanNotice(plan=plan, user_id=key, due_at=daily if frequency == MailFrequency.DAILY else at_once)
        for key, frequency in found[:MAX_RECIPIENTS]
    ]
    # A decision before may still wait to be sent, or have failed.
    PlanNotice.objects.bulk_create(
        notices,
        update_conflicts=True,
        unique_fields=["plan", "user"],
        update_fields=["due_at", "attempts", "failed_at"],
    )


def _next_daily_mail() -> datetime:
    now = datetime.now(UTC)
    today = now.replace(hour=settings.MAIL_DAILY_HOUR, minute=0, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)
