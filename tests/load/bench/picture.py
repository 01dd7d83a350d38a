"""The picture of the results: how fast the service and the plain one are beside the floor."""

from collections.abc import Iterator, Mapping
from math import log10
from typing import Any
from xml.sax.saxutils import escape

from tests.load.bench.rows import ROWS, WAKE_UP, Row, Unit, medians

_LEFT, _WIDTH, _RIGHT = 400, 560, 70
_TOP, _LINE, _BAR = 64, 40, 13
_SMALLEST, _LARGEST = 0.003, 30.0
_MARKS = (0.01, 0.1, 1, 10)
_COLOURS = {"service": "#1f6f8b", "plain": "#c08a3e"}
_STYLE = (
    "text{font:13px sans-serif;fill:#333}.t{font-size:15px;font-weight:bold}"
    ".n{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:3px}"
)


def drawn(found: Mapping[str, Any]) -> str:
    """An SVG with two bars for each scenario that has a speed, from the smallest part of the floor's on.

    The scale is logarithmic. A line through the bar of the service is its target.
    """
    measured = [row for row in ROWS if "floor" in found["rows"].get(row.key, {})]
    rows = [row for row in measured if row.unit not in (Unit.MEGABYTES, Unit.BODIES)]
    height = _TOP + _LINE * len(rows) + 20
    width = _LEFT + _WIDTH + _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>Speed of the service and of a plain one as a part of the floor's</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        '<text class="t" x="12" y="24">Speed, as a part of the floor\'s (logarithmic)</text>',
        *_legend(),
        *_scale(height),
    ]
    for number, row in enumerate(rows):
        parts += _bars(row, medians(found["rows"][row.key]), _TOP + _LINE * number)
    return "\n".join([*parts, "</svg>\n"])


def _bars(row: Row, measurements: Mapping[str, float], top: int) -> Iterator[str]:
    yield f'<text x="{_LEFT - 10}" y="{top + 18}" text-anchor="end">{escape(row.title)}</text>'
    labels = []
    speeds = {"service": measurements["service"], "plain": measurements.get("plain")}
    for place, (name, speed) in enumerate(speeds.items()):
        if speed is None:
            continue
        part = speed / measurements["floor"]
        if row.unit is Unit.SECONDS:
            part = measurements["floor"] / (speed - measurements[WAKE_UP])
        y = top + 2 + place * (_BAR + 2)
        end = _x(part)
        yield f'<rect x="{_LEFT}" y="{y}" width="{end - _LEFT:.0f}" height="{_BAR}" fill="{_COLOURS[name]}"/>'
        labels.append(f'<text class="n" x="{end + 5:.0f}" y="{y + 10}">{part:.2g}</text>')
    target = 1 / row.at_most if row.at_most else row.of_floor
    if target is not None:
        x = _x(target)
        yield f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{top}" y2="{top + _BAR + 4}" stroke="#b00020" stroke-width="2"/>'
    yield from labels


def _legend() -> Iterator[str]:
    texts = {"service": "this service", "plain": "plain Django", "target": "target"}
    for number, (name, text) in enumerate(texts.items()):
        x = _LEFT + 150 + number * 130
        colour = _COLOURS.get(name, "#b00020")
        width = 12 if name in _COLOURS else 2
        yield f'<rect x="{x}" y="13" width="{width}" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 18}" y="24">{text}</text>'


def _scale(height: int) -> Iterator[str]:
    for mark in _MARKS:
        x = _x(mark)
        stroke = "#888" if mark == 1 else "#ddd"
        yield f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{_TOP - 6}" y2="{height - 14}" stroke="{stroke}"/>'
        yield f'<text class="n" x="{x:.0f}" y="{_TOP - 12}" text-anchor="middle">{mark:g}</text>'


def _x(part: float) -> float:
    """The distance from the left of that part of the floor's speed."""
    inside = min(max(part, _SMALLEST), _LARGEST)
    return _LEFT + _WIDTH * (log10(inside) - log10(_SMALLEST)) / (log10(_LARGEST) - log10(_SMALLEST))
