"""The field of a page for the reason of what it writes (contract I2)."""

from django.http import QueryDict

from dimensions_site.changes.reasons import MAX_LENGTH, InvalidReason, typed_reason
from dimensions_site.repositories.models import Repository

# The name of the field; an element has no field of that name.
NAME = "_reason"


class ReasonField:
    """Shows what was `typed` with its `error`, and has the `reason` that it means; `data` is that of the sent form."""

    name = NAME
    maximum = MAX_LENGTH

    def __init__(self, repository: Repository, data: QueryDict | None = None, typed: str = "") -> None:
        self.is_required = repository.requires_reason
        self.typed = typed if data is None else data.get(NAME, "")
        self.reason: str | None = None
        self.error = ""
        if data is not None:
            try:
                self.reason = typed_reason(self.typed, repository)
            except InvalidReason as error:
                self.error = str(error)
