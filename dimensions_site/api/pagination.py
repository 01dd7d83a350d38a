"""Paging by `skip` and `take` (contract D6)."""

import re
from dataclasses import dataclass
from typing import Self

from dimensions_site.api.errors import Failure, bad_request, quoted

# The largest number that both databases accept for LIMIT and OFFSET.
MAX_COUNT = 2**63 - 1
_DIGITS = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True)
class SkipTake:
    """The number of rows to skip, and the largest number of rows to return (None: all)."""

    skip: int = 0
    take: int | None = None

    @classmethod
    def parse(cls, skip_text: str | None, take_text: str | None) -> Self:
        """Return the paging of the two query parameters; None stands for an absent parameter.

        Raises Problem 400 with a failure for each parameter that is not an integer from 0 to 2**63 - 1; no value is
        clamped. Contract D6.
        """
        counts: dict[str, int] = {}
        failures: list[Failure] = []
        for name, text in (("skip", skip_text), ("take", take_text)):
            if text is None:
                continue
            if _DIGITS.fullmatch(text) and int(text) <= MAX_COUNT:
                counts[name] = int(text)
            else:
                bound = f"at most {MAX_COUNT:,}" if text.isdecimal() else "a whole number, 0 or more"
                message = f"{name} must be {bound}; got {quoted(text)}."
                failures.append(Failure(name, "INVALID_VALUE", message))
        if failures:
            raise bad_request(failures)
        return cls(**counts)

    @property
    def window(self) -> slice:
        """The slice of the sorted rows, for a queryset or a list."""
        return slice(self.skip, None if self.take is None else self.skip + self.take)
