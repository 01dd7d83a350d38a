"""The results for people: tables and a picture, made of docs/developers/performance.json and of nothing else."""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from tests.load.bench import picture
from tests.load.bench.rows import (
    BY_KEY,
    ROWS,
    WAKE_UP,
    Medians,
    Row,
    Unit,
    Verdict,
    against_floor,
    against_plain,
    medians,
)
from tests.services.service import PROJECT

DATA = PROJECT / "docs" / "developers" / "performance.json"
PAGE = PROJECT / "docs" / "developers" / "performance.md"
PICTURE = PROJECT / "docs" / "images" / "performance.svg"
_BEGIN, _END = "<!-- made by make bench: begin -->", "<!-- made by make bench: end -->"
_CONTESTANTS = ("floor", "service", "plain")
_OF_PROCESSORS = (
    "Where the time goes, in microseconds for each answer or element: how long the client waits, and how much "
    "processor time the web server and PostgreSQL use. Both work at once, so the parts can add up to more than the "
    "whole. The rest is waiting."
)


def write_page(found: Mapping[str, Any]) -> None:
    """Keep the results, and make the picture and the part of the page between the marks of them."""
    DATA.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PICTURE.write_text(picture.drawn(found), encoding="utf-8")
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


def page_with(page: str, found: Mapping[str, Any]) -> str:
    """The page with the results between its marks; what people have written around them stays."""
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    parts = [
        _circumstances(found),
        f'<img src="{os.path.relpath(PICTURE, PAGE.parent)}" alt="Speed as a part of the floor\'s" width="100%">',
        main_table(found),
        "Minimum, median and maximum of all rounds:",
        _spread_table(found),
        _OF_PROCESSORS,
        _processors_table(found),
    ]
    made = "\n\n".join([_BEGIN, *parts, _END])
    return f"{before}{made}{after}"


def main_table(found: Mapping[str, Any]) -> str:
    """The medians, and whether the targets are met."""
    middle = {key: medians(samples) for key, samples in found["rows"].items()}
    lines = [
        "| scenario | unit | floor | this service | plain | against the floor | against plain |",
        "|---|---|--:|--:|--:|---|---|",
    ]
    for row in ROWS:
        if row.key in middle:
            measurements = middle[row.key]
            cells = [row.title, row.unit.text, *(shown(measurements.get(contestant)) for contestant in _CONTESTANTS)]
            cells.append(_of_floor(row, measurements, middle.get(row.of_own[0]) if row.of_own else None))
            cells.append(_shown_verdict(against_plain(row, measurements), "×", ""))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _of_floor(row: Row, measurements: Medians, other: Medians | None) -> str:
    verdict = against_floor(row, measurements, other)
    if row.of_own is not None:
        return _shown_verdict(verdict, f" × {BY_KEY[row.of_own[0]].title}", "at least ")
    if row.unit is Unit.SECONDS:
        return (
            f"{_shown_verdict(verdict, ' × the time', 'at most ')}; {measurements[WAKE_UP]:.2f} s of waking up left out"
        )
    return _shown_verdict(verdict, "", "at most " if row.at_most else "")


def _shown_verdict(verdict: Verdict | None, unit: str, bound: str) -> str:
    if verdict is None:
        return "–"
    state = "met" if verdict.met else "**missed**"
    return f"{shown(verdict.reached)}{unit}, target {bound}{verdict.target:g}: {state}"


def _spread_table(found: Mapping[str, Any]) -> str:
    lines = ["| scenario | unit | floor | this service | plain |", "|---|---|--:|--:|--:|"]
    for key, samples in found["rows"].items():
        row = BY_KEY[key]
        cells = [row.title, row.unit.text, *(_spread(samples.get(contestant)) for contestant in _CONTESTANTS)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _processors_table(found: Mapping[str, Any]) -> str:
    """For each contestant the time of one, and what the web server and the database take of a processor for it."""
    lines = [
        f"| scenario | {' | '.join(f'{name}: time | web | database' for name in ('floor', 'this service', 'plain'))} |",
        f"|---|{'--:|' * 9}",
    ]
    for key, samples in found["rows"].items():
        middle = medians(samples)
        if "service_web" not in middle:
            continue
        cells = [BY_KEY[key].title]
        for contestant in _CONTESTANTS:
            time = 1e6 / middle[contestant] if contestant in middle else None
            cells += [shown(time), shown(middle.get(f"{contestant}_web")), shown(middle.get(f"{contestant}_database"))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(measurements: list[float] | None) -> str:
    if not measurements:
        return "–"
    return " / ".join(shown(each) for each in (min(measurements), medians({"": measurements})[""], max(measurements)))


def shown(measurement: float | None) -> str:
    """A measurement with as many digits as it has a meaning, or a dash."""
    if measurement is None:
        return "–"
    return f"{measurement:,.0f}" if measurement >= 100 else f"{measurement:.3g}"


def _circumstances(found: Mapping[str, Any]) -> str:
    return (
        f"Taken {found['taken'].partition('T')[0]} at commit {found['commit']}: medians of {found['rounds']} rounds "
        f"with {found['accounts']:,} accounts in the measured repository. {found['machine']['processor']}, "
        f"{found['machine']['cpus']} processors for the web processes, PostgreSQL and the client together. "
        f"{programs(found)}"
    )


def programs(found: Mapping[str, Any]) -> str:
    """The versions and the settings with which a run was taken."""
    server = found["postgresql"]
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items())
    settings = ", ".join(f"{name} {value}" for name, value in server.items() if name != "server_version")
    version = re.sub(r" \(.*", "", server["server_version"])
    return f"Python {found['python']}, {packages}. PostgreSQL {version} ({settings})."
