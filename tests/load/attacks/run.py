"""What one tenant can do to stop the service, and how long another one waits meanwhile.

    DATABASE_URL=postgresql://… python -m tests.load.attacks.run

runs each attack for about ten seconds behind nginx, as docs/deploy sets it up, and directly. It prints what was
answered, the slowest answer of the other tenant, who reads an account and saves a currency all the time, and the peak
of memory. The status is 1 when a bound is broken. It needs Linux, and shows the service as it ships, with 2 web
processes of 4 threads. `--only F1,F8` runs some, `--short` all with the smallest sizes.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.load.attacks import bodies, files, reads, writes
from tests.load.attacks.peaks import Taken, measuring
from tests.load.attacks.scene import FULL, SHORT, Meanwhile, Scale, Scene, living, scene

# The limit of a response to the other tenant, in seconds.
SLOWEST = 3.0
# What the web processes may take above idle, together, in KiB: 100 MiB for each of their threads, which the form of one
# of the largest elements needs.
WEB = 800 * 1024
# What a process that reads a file may take, in KiB: IMPORT_READ_MEMORY.
READER = 256 * 1024


@dataclass(frozen=True)
class Attack:
    """An attack by its number in the review; what it does returns how often what was answered."""

    number: str
    name: str
    run: Callable[[Scene], Counter[str]]
    # Without nginx the service is for clients on its own machine only, and has no limits against these.
    is_bounded_directly: bool = True
    # SQLite has one writer at a time: while an import writes, others read, and their writes wait up to 503.
    stops_writes_on_sqlite: bool = False


ATTACKS = (
    Attack("F1", "format code of 4 MB, 6 uploads at once", files.format_code),
    Attack("F2", "50 conditions, 8 clients hang up", reads.filters_of_clients_who_hang_up),
    Attack("F2", "50 conditions, 8 clients stay", reads.filters_of_clients_who_stay),
    Attack("N2", "plans with 50 conditions as scope, 8 clients", writes.plans_with_long_scopes),
    Attack("F3", "PATCH until the limit, 8 clients", writes.patches_until_the_limit),
    Attack("F3", "lists of largest elements, 8 clients at once", reads.lists_at_once),
    Attack("F3", "the same, read slowly", reads.lists_slowly, is_bounded_directly=False),
    Attack("F3", "form of a largest element, 8 clients", reads.pages_of_a_large_element),
    Attack("F4", "millions of attribute names, 6 uploads at once", files.attribute_names),
    Attack("F1", "slowest workbook that is read, 6 uploads at once", files.shared_texts),
    Attack("F5", "silent connections", reads.silent, is_bounded_directly=False),
    Attack("F5", "8 dripping bodies", partial(reads.dripping_bodies, count=8), is_bounded_directly=False),
    Attack("F5", "32 dripping bodies", partial(reads.dripping_bodies, count=32), is_bounded_directly=False),
    Attack("F7", "8 bulk savers beside an import", writes.bulk_saves_beside_an_import, stops_writes_on_sqlite=True),
    Attack(
        "F7", "8 single writers beside an import", writes.single_writes_beside_an_import, stops_writes_on_sqlite=True
    ),
    Attack("F8", "empty elements, gzip, 4 clients", writes.empty_elements),
    Attack("F8", "wrong types, gzip, 4 clients", writes.wrong_types),
    Attack("N1", "empty lines and rows, gzip, 8 clients", bodies.empty_lines),
    Attack("N1", "endless quotes and rows, gzip, 8 clients", bodies.endless_rows),
    Attack("F9", "wrong passwords from as many networks", writes.login_attempts),
    Attack("rates", "pages of the administration, 8 clients", reads.many_pages),
)


@dataclass(frozen=True)
class Seen:
    """What an attack did; `seconds` is how long it went on."""

    attack: Attack
    seconds: float
    outcomes: Counter[str]
    other: Meanwhile
    taken: Taken

    def broken(self, slowest: float, server: str) -> list[str]:
        """The bounds that were broken on that server of databases; none for what it is not made for."""
        reads_only = self.attack.stops_writes_on_sqlite and not server.startswith("postgres")
        found = [
            f"{count} x {outcome} to the other tenant"
            for outcome, count in self.other.failed.items()
            if not (reads_only and outcome == "503")
        ]
        longest = max([*self.other.reads, *([] if reads_only else self.other.writes)], default=0.0)
        if longest > slowest:
            found.append(f"an answer to the other tenant took {longest:.1f} s")
        if self.taken.web > WEB:
            found.append(f"the web processes took {self.taken.web // 1024} MiB above idle")
        if self.taken.reader > READER:
            found.append(f"a process that reads a file took {self.taken.reader // 1024} MiB")
        if self.taken.lost:
            found.append(f"{self.taken.lost} web processes ended")
        return [f"{self.attack.number}, {self.attack.name}: {each}" for each in found]

    def row(self) -> str:
        """The line of the table."""
        answers = ", ".join(f"{count:,} x {outcome}" for outcome, count in sorted(self.outcomes.items()))
        other = f"{max(self.other.reads, default=0):.2f} | {max(self.other.writes, default=0):.2f}"
        calls = f"{len(self.other.reads) + len(self.other.writes):,}"
        failed = ", ".join(f"{count} x {outcome}" for outcome, count in self.other.failed.items()) or "0"
        reader = f"{self.taken.reader / 1024:.0f}" if self.taken.reader else "–"
        words = (self.attack.number, self.attack.name, f"{self.seconds:.0f}", answers, other, calls, failed)
        return f"| {' | '.join(words)} | {self.taken.web / 1024:.0f} | {reader} |"


def attacked(stage: Scene, chosen: tuple[Attack, ...] = ATTACKS) -> Iterator[Seen]:
    """Run the attacks one after the other; what is loaded with the first calls counts as idle."""
    with living(stage.other):
        time.sleep(2)
        reads.page(stage, "/admin/")
    for attack in chosen:
        with living(stage.other) as other, measuring(stage) as taken:
            begin = time.monotonic()
            outcomes = attack.run(stage)
            seconds = time.monotonic() - begin
        yield Seen(attack, seconds, outcomes, other, taken)


def main(scale: Scale, only: str) -> int:
    """Run, print the table, and return 0 when no bound is broken."""
    server, broken = os.environ.get("DATABASE_URL", ""), []
    chosen = tuple(attack for attack in ATTACKS if not only or attack.number in only.split(","))
    for behind_nginx in (True, False):
        way = "behind nginx" if behind_nginx else "directly"
        sys.stdout.write(
            f"\n{server.partition(':')[0]}, {way}\n\n"
            "| | attack | s | answers | slowest read of another, s | slowest write, s | calls | failed | web, MiB | "
            "reader, MiB |\n|---|---|--:|---|--:|--:|--:|---|--:|--:|\n"
        )
        with TemporaryDirectory() as folder, scene(Path(folder), server, scale, behind_nginx=behind_nginx) as stage:
            for seen in attacked(stage, chosen):
                sys.stdout.write(f"{seen.row()}\n")
                sys.stdout.flush()
                if behind_nginx or seen.attack.is_bounded_directly:
                    broken += [f"{way}: {each}" for each in seen.broken(SLOWEST, server)]
    sys.stdout.writelines(["\n", *(f"{each}\n" for each in broken)])
    sys.stdout.write(f"{len(broken)} bounds are broken\n")
    return 1 if broken else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.load.attacks.run")
    parser.add_argument("--only", default="")
    parser.add_argument("--short", action="store_true")
    words = parser.parse_args()
    sys.exit(main(SHORT if words.short else FULL, words.only))
