"""The reason for a change: what clients and people may give, and when they must (contract I2)."""

import re
from urllib.parse import unquote

from django.http import QueryDict
from django.utils.translation import gettext as _

from dimensions_site.api.errors import Failure
from dimensions_site.api.middleware.addresses import decoding_error
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number

HEADER = "Change-Reason"
FIELD = "_reason"  # of pages; an element has no field of that name
MAX_LENGTH = 1_000
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
        raise InvalidReason("REPEATED_HEADER", f"{HEADER} must appear only once.")
    if not header.isascii():
        message = f"{HEADER} has characters beyond ASCII. Write them percent-encoded in UTF-8, such as %C3%BC for ü."
        raise InvalidReason("INVALID_ENCODING", message)
    if error := decoding_error(header):
        raise InvalidReason("INVALID_ENCODING", f"{HEADER} {error}.")
    reason = unquote(header)
    if not reason.strip():
        raise InvalidReason("BLANK", f"{HEADER} must be a text of 1 to {MAX_LENGTH:,} characters; it is empty.")
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
    if len(text) > MAX_LENGTH:
        numbers = {"length": grouped_number(len(text)), "maximum": grouped_number(MAX_LENGTH)}
        raise InvalidReason("TOO_LONG", too_long.format(**numbers))
    if found := _NO_TEXT.search(text):
        raise InvalidReason("INVALID_CHARACTER", no_text.format(code=f"{ord(found[0]):04X}"))


class ReasonField:
    """The field of a page: what was `typed`, its `error`, and the `reason` that it means; `data` is the sent form."""

    name = FIELD
    maximum = MAX_LENGTH

    def __init__(self, repository: Repository, data: QueryDict | None = None, typed: str = "") -> None:
        self.is_required = repository.requires_reason
        self.typed = typed if data is None else data.get(FIELD, "")
        self.reason: str | None = None
        self.error = ""
        if data is not None:
            try:
                self.reason = typed_reason(self.typed, repository)
            except InvalidReason as error:
                self.error = str(error)
