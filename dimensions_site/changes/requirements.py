"""What a repository requires of a change: a reason (contract I2), and the approval of a second person (O2, O5).

Of a reason, this says what clients and people may give, and when they must. `placing` refuses every change set that
needs an approval and has none, whatever wrote it. What needs one is stored in the slots, which a change set locks
anyway: so no write costs a statement more, and none can slip between a changed switch and its commit.
`Repository.approval` repeats it, for pages and to refuse people before they do work.
"""

import re
from urllib.parse import unquote

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure
from dimensions_site.api.middleware.addresses import decoding_error
from dimensions_site.changes.models import SLOTS, Slot
from dimensions_site.changes.placing import ApprovalRequired
from dimensions_site.repositories.models import ApprovalSwitch, Repository
from dimensions_site.text.formats import grouped_number

REASON_HEADER = "Change-Reason"
REASON_FIELD = "_reason"  # of pages; an element has no field of that name
MAX_REASON = 1_000
# Surrogates come from arguments of commands that are not UTF-8. Bidirectional controls would make a page show another
# reason than it has.
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class InvalidReason(Exception):
    """The reason is invalid, or missing where the repository requires one; `code` and the text say which."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def failure(self, path: str) -> Failure:
        return Failure(path, self.code, str(self))


def sent_reason(header: str | None, repository: Repository, *, is_trial: bool = False) -> str | None:
    """Return the reason in the `header`, decoded; None without one. Raises `InvalidReason`.

    The web server joins repeated headers with a line break. A trial saves nothing and needs no reason.
    """
    if header is None:
        return None if is_trial else typed_reason("", repository)
    if "\n" in header:
        raise InvalidReason("REPEATED_HEADER", f"{REASON_HEADER} must appear only once.")
    if not header.isascii():
        message = (
            f"{REASON_HEADER} has characters beyond ASCII. Write them percent-encoded in UTF-8, such as %C3%BC for ü."
        )
        raise InvalidReason("INVALID_ENCODING", message)
    if error := decoding_error(header):
        raise InvalidReason("INVALID_ENCODING", f"{REASON_HEADER} {error}.")
    reason = unquote(header)
    if not reason.strip():
        raise InvalidReason("BLANK", f"{REASON_HEADER} must be a text of 1 to {MAX_REASON:,} characters; it is empty.")
    return typed_reason(reason, repository)


def typed_reason(text: str, repository: Repository) -> str | None:
    """Return the reason in `text`, without blanks around it; None if it is empty. Raises `InvalidReason`.

    The message is for people.
    """
    reason = text.strip()
    if not reason:
        if repository.requires_reason:
            message = _("The repository {repository} requires a reason for every change.")
            raise InvalidReason("REASON_REQUIRED", message.format(repository=repository.db_id))
        return None
    _check_line(
        reason,
        too_long=_("The reason is {length} characters long; the limit is {maximum}."),
        no_text=_("The reason has the character U+{code}, which is no part of a text in one line."),
    )
    return reason


def typed_remark(text: str) -> str | None:
    """Return what somebody wrote about a plan when they decided on it, without blanks around it; None if it is empty.

    Raises `InvalidReason`; the message is for people.
    """
    remark = text.strip()
    _check_line(
        remark,
        too_long=_("The remark is {length} characters long; the limit is {maximum}."),
        no_text=_("The remark has the character U+{code}, which is no part of a text in one line."),
    )
    return remark or None


def _check_line(text: str, *, too_long: str, no_text: str) -> None:
    if len(text) > MAX_REASON:
        numbers = {"length": grouped_number(len(text)), "maximum": grouped_number(MAX_REASON)}
        raise InvalidReason("TOO_LONG", too_long.format(**numbers))
    if found := _NO_TEXT.search(text):
        raise InvalidReason("INVALID_CHARACTER", no_text.format(code=f"{ord(found[0]):04X}"))


class ReasonField:
    """The field of a page: what was `typed`, its `error`, and the `reason` that it means; `data` is the sent form."""

    name = REASON_FIELD
    maximum = MAX_REASON

    def __init__(self, repository: Repository, data: QueryDict | None = None, typed: str = "") -> None:
        self.is_required = repository.requires_reason
        self.typed = typed if data is None else data.get(REASON_FIELD, "")
        self.reason: str | None = None
        self.error = ""
        if data is not None:
            try:
                self.reason = typed_reason(self.typed, repository)
            except InvalidReason as error:
                self.error = str(error)


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
