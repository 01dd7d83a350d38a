"""Four eyes: what needs the approval of a second person, and the evidence that it had one (contract O2, O5).

`placing` refuses every change set that needs an approval and has none, whatever wrote it. What needs one is stored in
the slots, which a change set locks anyway: so no write costs a statement more, and none can slip between a changed
switch and its commit. `Repository.approval` repeats it, for pages and to refuse people before they do work.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Problem
from dimensions_site.changes.models import SLOTS, Slot
from dimensions_site.repositories.models import ApprovalSwitch, Repository


@dataclass(frozen=True)
class Approval:
    """Who proposed the plan with the id `plan`, and who approved it; only `bulkops.plans.deciding` makes one."""

    plan: UUID
    author: str
    proposed_at: datetime
    approver: str
    approved_at: datetime
    text: str | None


class ApprovalRequired(Problem):
    """The change needs the approval of a second person; nothing was saved."""

    def __init__(self, switch: ApprovalSwitch) -> None:
        if switch is ApprovalSwitch.DELETIONS:
            needs = _("Every deletion here needs the approval of a second person.")
        else:
            needs = _("Every change here needs the approval of a second person.")
        advice = _(
            "Nothing was saved. Make a change proposal (elements-plans), and apply it once another person has approved "
            "it."
        )
        super().__init__(403, code="APPROVAL_REQUIRED", detail=f"{needs} {advice}")


def refuse_unapproved(repository: Repository, dimension: str, *, deletes: bool) -> None:
    """Raise `ApprovalRequired` for a direct write, before any work is done for it; the commit decides."""
    switch = repository.approval_of(dimension)
    if switch.requires(deletes=deletes):
        raise ApprovalRequired(switch)


@transaction.atomic
def set_approval(repository: Repository, dimension: str, switch: ApprovalSwitch) -> None:
    """Set what needs approval in one `dimension` of the `repository`; it holds for all that commits later.

    Waits for writers of many elements, and for change sets that are placed and not yet committed.
    """
    # The order of all writers: the repository first, then the slots.
    found = Repository.objects.select_for_update(no_key=True).get(pk=repository.pk)
    repository.approval = found.approval = {**found.approval, dimension: switch.value}
    found.save(update_fields=["approval"])
    slots = (Slot(repository=found, dimension=dimension, slot=slot, number=0, approval=switch) for slot in range(SLOTS))
    Slot.objects.bulk_create(
        slots, update_conflicts=True, unique_fields=["repository", "dimension", "slot"], update_fields=["approval"]
    )
