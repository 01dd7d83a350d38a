"""What is measured at each stage, and how much it may grow."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import linear_regression

from tests.load.growth.stages import Stage

# The largest exponents: of what has to cost the same however many accounts there are, and of what reads all of them.
SAME, ALL = 0.2, 1.1


@dataclass(frozen=True)
class Row:
    """One line of the table: `at_most` is the largest exponent, if there is one.

    `counted` is the number of elements or versions, so that a speed can be shown, too.
    """

    key: str
    title: str
    unit: str
    at_most: float | None
    counted: Callable[[Stage], int] | None = None


def _bulk(stage: Stage) -> int:
    return stage.bulk


ROWS = (
    Row("list", "list, streamed to its end", "s", ALL, lambda stage: stage.large),
    Row("first-page", "first page of 100", "ms", SAME),
    Row("middle-page", "page of 100 at an offset in the middle (`skip`)", "ms", ALL),
    Row("after", "page of 100 after the last id (`id=gt=`)", "ms", SAME),
    Row("other-order", "first page of 50 in another order (`sort=-type`)", "ms", ALL),
    Row("id", "filter by an id (`id==`)", "ms", SAME),
    Row("ids", "filter by ten ids (`id=in=`)", "ms", SAME),
    Row("id-part", "containment in the id, 1 hit (`id=like=`)", "ms", SAME),
    Row("one-language", "containment in one language, 7 hits (`descriptions.de=like=`)", "ms", SAME),
    Row("any-language", "containment in any language, 14 hits (`descriptions=ilike=`)", "ms", SAME),
    Row("common-page", "first page of 50 with a word that all descriptions have", "ms", SAME),
    Row("enum-page", "first page of 50 with a value of an enum (`type==`)", "ms", SAME),
    Row("count", "count", "ms", ALL),
    Row("count-enum", "count with a value of an enum (`nature==`)", "ms", ALL),
    Row("count-frequent", "count with a word that one of twelve has", "ms", ALL),
    Row("one", "read one", "ms", SAME),
    Row("patch", "patch one", "ms", SAME),
    Row("poll", "poll of `elements-changes` when nothing has changed", "ms", SAME),
    Row("poll-100", "poll of `elements-changes` with 100 changes", "ms", SAME),
    Row("compare-100", "comparison of 100 changes (`elements-compare`)", "ms", SAME),
    Row("uses", "uses of one (`elements-uses`)", "ms", SAME),
    Row("as-of", "list as of a moment (`asOf`)", "s", ALL, lambda stage: stage.large),
    Row("bulk-post", "bulk post of 10,000", "s", SAME, _bulk),
    Row("bulk-put", "bulk put of 10,000", "s", SAME, _bulk),
    Row("bulk-patch", "bulk patch of 10,000", "s", SAME, _bulk),
    Row("deletion", "deletion of one of eight in the background", "s", ALL, lambda stage: stage.deleted),
    Row("admin-list", "administration: the list of all repositories", "ms", SAME),
    Row("admin-rare", "administration: search for a word with few hits", "ms", SAME),
    Row("admin-common", "administration: search for a word that all have", "ms", SAME),
    Row("admin-nothing", "administration: search for what nobody has", "ms", SAME),
    Row("memory-list", "memory of the web process above idle, list", "MB", SAME),
    Row("size-account", "an account in the database, with its indexes", "bytes", SAME),
    Row("size-search", "of these the index of searches", "bytes", SAME),
    Row("size-post", "history of a created account", "bytes", SAME),
    Row("size-put", "history of a replaced account", "bytes", SAME),
    Row("size-patch", "history of a patched account", "bytes", SAME),
    Row("size-delete", "history of a deleted account", "bytes", SAME),
    Row("size-database", "the whole database, with two to three versions of each account", "MB", ALL),
    Row("clean", "`clean_old_history`, which purges one version of each account", "s", ALL, lambda stage: stage.total),
    Row("clean-memory", "memory of that command at its peak", "MB", SAME),
    Row("clean-patch", "patch one meanwhile", "ms", SAME),
    # The more are sent, the slower is the slowest of them; what counts is that it never waits for the whole.
    Row("clean-slowest", "the slowest of these patches", "ms", None),
)
BY_KEY = {row.key: row for row in ROWS}


def exponent(measurements: Mapping[Stage, float]) -> float:
    """The slope of the logarithm of the results over that of the number of accounts, by least squares.

    0 is what costs the same however many there are, 1 what doubles with their number.
    """
    accounts: Sequence[float] = [math.log(stage.total) for stage in measurements]
    return linear_regression(accounts, [math.log(measurement) for measurement in measurements.values()]).slope
