"""Writing many elements while others create elements one by one."""

from collections.abc import Callable, Sequence

from django.db import IntegrityError, OperationalError, transaction

from bulkops.writers.entry import Entry
from bulkops.writers.writer import Writer
from dimensions_site.elements.actors import Actor, Stamp
from dimensions_site.elements.locking import is_worth_another_try

_ATTEMPTS = 10
# So many entries are read once more at a time.
_READ_TOGETHER = 1_000


class OthersCreateTheSame(Exception):
    """Each attempt met another writer who had just created one of the same elements; nothing was written."""


def write_planned(writer: Writer, plan: Callable[[], None], actor: Actor) -> None:
    """Call `plan`, which plans what `writer` has staged, and write it; both anew when others come in between.

    What `plan` raises ends it; what `plan` wrote before the failure of an attempt is undone. Raises
    `OthersCreateTheSame`.
    """
    for _ in range(_ATTEMPTS):
        try:
            with transaction.atomic():
                plan()
                writer.write(Stamp(actor))
            return
        except IntegrityError:
            continue  # somebody else has created one of the elements in between
        except OperationalError as error:
            if not is_worth_another_try(error):
                raise
    raise OthersCreateTheSame


def plan_beside_others(
    writer: Writer, late: Callable[[], list[int]], read: Callable[[Sequence[int]], Sequence[Entry]]
) -> None:
    """Plan, until nothing that others have created since it was looked at is left out of account.

    `late` tells the positions of the entries that this concerns, and `read` reads those at some positions once more.
    """
    writer.plan()
    while positions := late():
        for start in range(0, len(positions), _READ_TOGETHER):
            part = positions[start : start + _READ_TOGETHER]
            writer.discard(part)
            writer.stage(read(part))
        writer.plan()
