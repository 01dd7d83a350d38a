"""The reports of an import: during its run and at its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.translation import gettext, ngettext

from bulkops.files.formats.rows import RowFailure
from bulkops.files.imports.details import ErrorDetails
from bulkops.files.totals import Total
from bulkops.files.understanding import Meaning
from dimensions_site.elements.writing.differences import Difference
from dimensions_site.text.formats import grouped_number


class Phase(StrEnum):
    """The phases of an import; others may write until it compares rows with stored elements."""

    READING = "reading"
    CHECKING = "checking"
    SAVING = "saving"


@dataclass(frozen=True)
class Sample:
    """The effect on one element: the `line` of its row, its id, and what changes."""

    line: int
    id: str
    differences: Sequence[Difference]


@dataclass
class Report:
    """The effect of an import, or of its dry run, in elements; `rejected` counts rows with errors.

    `failures` are the first errors in the order of the lines, `failure_count` is their total, or a minimum if
    `is_count_exact` is false. `formulas` counts the values that the program that saved the file had computed.
    `samples` are the first created or changed elements, `deleted_ids` the first deleted ones. `details` and
    `understood`, the most frequent of `understood_count` cells that do not say literally what they mean, are for people
    only; so are `unknown`, the most frequent texts that are no value of their columns, and `deleted_texts`, the
    descriptions of the deleted elements, and `totals`, the first of `total_count` rows without an id or with one such
    as "Total".
    """

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    rejected: int = 0
    formulas: int = 0
    failures: Sequence[RowFailure] = ()
    failure_count: int = 0
    is_count_exact: bool = True
    samples: Sequence[Sample] = field(default_factory=list)
    deleted_ids: Sequence[str] = field(default_factory=list)
    deleted_texts: Mapping[str, str] = field(default_factory=dict)
    details: ErrorDetails = field(default_factory=ErrorDetails)
    understood: Sequence[Meaning] = ()
    understood_count: int = 0
    unknown: Sequence[Meaning] = ()
    totals: Sequence[Total] = ()
    total_count: int = 0


class ImportRefused(Exception):
    """Nothing was saved; the text says why, and the `report` has the errors."""

    def __init__(self, report: Report, reason: str | None = None) -> None:
        count = ngettext("{count} error.", "{count} errors.", report.failure_count)
        if not report.is_count_exact:
            count = gettext("At least {count} errors; the rest of the file was not checked.")
        super().__init__(reason or count.format(count=grouped_number(report.failure_count)))
        self.report = report
