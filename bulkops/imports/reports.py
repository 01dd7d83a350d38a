"""What an import tells about itself: while it runs, and at its end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.translation import ngettext

from bulkops.formats.rows import RowFailure
from dimensions_site.elements.differences import Difference
from dimensions_site.formats import grouped


class Phase(StrEnum):
    """What an import is doing: others may write until it begins to check rows beside what is stored."""

    READING = "reading"
    CHECKING = "checking"
    SAVING = "saving"


@dataclass(frozen=True)
class Sample:
    """What an import does to one element: the `line` of its row, its id, and what becomes different."""

    line: int
    id: str
    differences: Sequence[Difference]


@dataclass
class Report:
    """What an import did, or in a dry run would do, in elements; `rejected` counts faulty rows.

    `failures` are the first faults in the order of the lines, `failure_count` is the number of all. `samples` are the
    first elements that are created or changed, `deleted_ids` the first that are deleted.
    """

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    rejected: int = 0
    failures: Sequence[RowFailure] = ()
    failure_count: int = 0
    samples: Sequence[Sample] = field(default_factory=list)
    deleted_ids: Sequence[str] = field(default_factory=list)


class ImportRefused(Exception):
    """Nothing was saved; the text tells why in the words of a person, and the `report` has the faults."""

    def __init__(self, report: Report, reason: str | None = None) -> None:
        count = ngettext("{count} fault.", "{count} faults.", report.failure_count)
        super().__init__(reason or count.format(count=grouped(report.failure_count)))
        self.report = report
