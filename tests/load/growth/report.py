"""The results for people: a table, made only from docs/developers/growth.json."""

import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from tests.load.bench.report import programs, shown
from tests.load.growth.rows import ROWS, Row, exponent
from tests.load.growth.stages import Stage
from tests.services.service import PROJECT

DATA = PROJECT / "docs" / "developers" / "growth.json"
PAGE = PROJECT / "docs" / "developers" / "growth.md"
_BEGIN, _END = "<!-- made by make growth: begin -->", "<!-- made by make growth: end -->"


def write_page(found: Mapping[str, Any]) -> None:
    """Store the results, and generate the part of the page between the marks."""
    DATA.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


def page_with(page: str, found: Mapping[str, Any]) -> str:
    """The page with the results between its marks; what people have written around them stays."""
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    return "\n\n".join([f"{before}{_BEGIN}", _circumstances(found), table(found), f"{_END}{after}"])


def table(found: Mapping[str, Any]) -> str:
    """The median of each row at each stage, and how it grows from the first to the last."""
    stages = [Stage(*sizes) for sizes in found["stages"]]
    heads = [f"{stage.total:,} accounts, {stage.large:,} in the repository" for stage in stages]
    lines = [f"| what | {' | '.join(heads)} | exponent |", f"|---|{'--:|' * len(stages)}---|"]
    for row in ROWS:
        measurements = {stage: median(found["rows"][row.key][str(stage.total)]) for stage in stages}
        cells = [
            row.title,
            *(_cell(row, stage, measurement) for stage, measurement in measurements.items()),
            _grows(row, measurements),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(row: Row, stage: Stage, measurement: float) -> str:
    text = f"{shown(measurement)} {row.unit}"
    return text if row.counted is None else f"{text}, {shown(row.counted(stage) / measurement)}/s"


def _grows(row: Row, measurements: Mapping[Stage, float]) -> str:
    if len(measurements) == 1:
        return "–"
    reached = exponent(measurements)
    if row.at_most is None:
        return f"{reached:.2f}"
    state = "met" if reached <= row.at_most else "**grows**"
    return f"{reached:.2f}, at most {row.at_most:g}: {state}"


def _circumstances(found: Mapping[str, Any]) -> str:
    return (
        f"Taken {found['taken'].partition('T')[0]} at commit {found['commit']}: medians of {found['rounds']} repeats. "
        f"{found['machine']['processor']}, {found['machine']['cpus']} processors for the web processes, the worker, "
        f"PostgreSQL and the client together. {programs(found)}"
    )


def described_stages(stages: Sequence[Stage]) -> list[list[int]]:
    """The stages as they are in docs/developers/growth.json."""
    return [[stage.total, stage.large, stage.bulk] for stage in stages]
