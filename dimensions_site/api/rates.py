"""How often something may happen, as settings write it.

`environment.py` reads this, so nothing here may import Django.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SECONDS: Mapping[str, int] = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


@dataclass(frozen=True)
class Rate:
    """At most `count` times within each second, minute, hour or day, its `period`."""

    count: int
    period: str

    @property
    def seconds(self) -> int:
        """The length of the period."""
        return _SECONDS[self.period]


def parse(text: str) -> Rate:
    """Return the rate that is written like `60/minute`; raises ValueError for any other text."""
    match = re.fullmatch(f"([1-9][0-9]{{0,8}})/({'|'.join(_SECONDS)})", text)
    if match is None:
        raise ValueError(text)
    return Rate(int(match[1]), match[2])
