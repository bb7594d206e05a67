"""Plots as self-contained SVG, without scripts, fonts or images.

Colours come from the page's style sheet by class, so they follow its light and dark themes. Series
differ in marker and dash as well as in colour, and each is labelled at its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

WIDTH, HEIGHT = 440, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 14, 46
KINDS = 8  # number of distinct styles; further series repeat them


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A point of a plot; `low` and `high` are the ends of its interval in y."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Points joined by a line."""

    name: str
    kind: int
    points: tuple[PlotPoint, ...]


def line_plot(
    series: Sequence[Series],
    *,
    title: str,
    description: str,
    x_label: str,
    x_ticks: Sequence[float] | None = None,
    evenly: bool = False,
) -> str:
    """Return a plot of lines with markers.

    Args:
        series: What to draw; every point has a `<title>`, shown as a tooltip.
        title: Its title.
        description: What it shows, for screen readers.
        x_label: Label of the x axis.
        x_ticks: Positions of the ticks; None: chosen from the values.
        evenly: Space the ticks evenly, whatever their values.
    """
    points = [point for one in series for point in one.points]
    x_values = sorted({point.x for point in points})
    ticks = list(x_ticks) if x_ticks is not None else nice_ticks(0, max(x_values))
    x = _even_scale(ticks) if evenly else _scale(min(0, *ticks), max(ticks), _LEFT, WIDTH - _RIGHT)
    tops = [point.y if point.high is None else point.high for point in points]
    y_ticks = nice_ticks(0, max([*tops, 1e-9]))
    y = _scale(y_ticks[0], y_ticks[-1], HEIGHT - _BOTTOM, _TOP)

    svg = _svg(title, description)
    _axes(svg, x, y, ticks, y_ticks, x_label)
    for number, one in enumerate(series):
        # Side by side, so that no interval hides another.
        shift = 6 * (number - (len(series) - 1) / 2) if evenly else 0.0
        group = SubElement(svg, "g", {"class": f"series k{one.kind % KINDS}"})
        places = [(x(point.x) + shift, point) for point in one.points]
        for place, point in places:
            if point.low is not None and point.high is not None:
                _line(group, place, y(point.low), place, y(point.high), "whisker")
        path = " ".join(f"{place:.1f},{y(point.y):.1f}" for place, point in places)
        SubElement(group, "polyline", {"points": path, "class": "curve"})
        for place, point in places:
            _marker(group, one.kind, place, y(point.y), point.title)
    return tostring(svg, encoding="unicode")


def distribution_plot(
    rows: Sequence[tuple[str, int, Sequence[int]]],
    *,
    title: str,
    description: str,
    x_label: str,
    what: tuple[str, str],
) -> str:
    """Return a histogram for each splitter, one above the other.

    Args:
        rows: Name, kind and values of each.
        title: Its title.
        description: What it shows, in words.
        x_label: What runs along the x axis, which is logarithmic.
        what: What the values belong to, and their unit: "chunks" and "tokens".
    """
    row_height, bars = 54, 40
    height = _TOP + row_height * len(rows) + _BOTTOM
    sizes = [size for _, _, found in rows for size in found if size > 0] or [1]
    low, high = math.log(min(sizes)), math.log(max(sizes) + 1)
    if high - low < 1:
        low, high = low - 0.5, high + 0.5
    left = 10
    x = _scale(low, high, left, WIDTH - _RIGHT)
    step = (high - low) / bars
    svg = _svg(title, description, height=height)
    base = _TOP + row_height * len(rows)
    for tick in _log_ticks(math.exp(low), math.exp(high)):
        place = x(math.log(tick))
        _line(svg, place, _TOP, place, base, "grid")
        _text(svg, place, base + 18, f"{tick:,}", "tick", "middle")
    _text(svg, (left + WIDTH - _RIGHT) / 2, height - 8, x_label, "label", "middle")
    for number, (name, kind, found) in enumerate(rows):
        bottom = _TOP + row_height * (number + 1)
        counts = [0] * bars
        for size in found:
            place = int((math.log(max(size, 1)) - low) / step)
            counts[min(bars - 1, max(0, place))] += 1
        group = SubElement(svg, "g", {"class": f"series k{kind % KINDS}"})
        middle = median(found) if found else 0
        SubElement(
            group, "title"
        ).text = f"{name}: {len(found):,} {what[0]}, median {middle:,.0f} {what[1]}"
        for place, count in enumerate(counts):
            if count:
                tall = max(1.0, (row_height - 22) * count / max(counts))
                start = x(low + place * step)
                wide = x(low + (place + 1) * step) - start - 0.6
                SubElement(
                    group, "rect", _numbers(x=start, y=bottom - tall, width=wide, height=tall)
                )
        if found:
            place = x(math.log(max(middle, 1)))
            _line(group, place, bottom - row_height + 20, place, bottom, "median")
        _line(svg, left, bottom, WIDTH - _RIGHT, bottom, "axis")
        _text(svg, left, bottom - row_height + 15, name, "name", "start")
    return tostring(svg, encoding="unicode")


def bar_plot(rows: Sequence[tuple[str, int, float, str]], *, title: str, description: str) -> str:
    """Return horizontal bars.

    Args:
        rows: Name, kind, value and displayed value of each.
        title: Its title.
        description: What it shows, in words.
    """
    row_height = 40
    height = 8 + row_height * len(rows)
    most = max([value for _, _, value, _ in rows] + [1e-12])
    svg = _svg(title, description, height=height)
    for number, (name, kind, value, shown) in enumerate(rows):
        top = 8 + row_height * number
        _text(svg, 0, top + 11, name, "name", "start")
        _text(svg, WIDTH, top + 11, shown, "figure", "end")
        SubElement(
            svg, "rect", _numbers(x=0, y=top + 17, width=WIDTH, height=8) | {"class": "rail"}
        )
        group = SubElement(svg, "g", {"class": f"series k{kind % KINDS}"})
        wide = max(1.5, WIDTH * value / most) if value else 0
        SubElement(group, "rect", _numbers(x=0, y=top + 17, width=wide, height=8))
    return tostring(svg, encoding="unicode")


def difference_plot(
    rows: Sequence[tuple[str, int, PlotPoint, str]], *, title: str, description: str, x_label: str
) -> str:
    """Return intervals of differences around 0.

    Args:
        rows: Name, kind, difference (its `y`, `low` and `high`) and displayed difference of each.
        title: Its title.
        description: What it shows, in words.
        x_label: Label of the x axis.
    """
    row_height = 44
    base = _TOP + row_height * len(rows)
    ends = [
        end for _, _, point, _ in rows for end in (point.low, point.high, 0.0) if end is not None
    ]
    ticks = nice_ticks(min(ends), max(ends))
    x = _scale(ticks[0], ticks[-1], 20, WIDTH - 20)
    svg = _svg(title, description, height=base + _BOTTOM)
    for tick in ticks:
        for number in range(len(rows)):  # beside the intervals only, clear of the labels above them
            top = _TOP + row_height * number
            _line(svg, x(tick), top + 19, x(tick), top + 36, "grid" if tick else "zero")
        _line(svg, x(tick), base, x(tick), base + 4, "axis")
        _text(
            svg,
            x(tick),
            base + 18,
            f"{tick:+g}".replace("-", "\u2212") if tick else "0",
            "tick",
            "middle",
        )
    _line(svg, 20, base, WIDTH - 20, base, "axis")
    _text(svg, WIDTH / 2, base + 38, x_label, "label", "middle")
    for number, (name, kind, point, shown) in enumerate(rows):
        top = _TOP + row_height * number
        _text(svg, 20, top + 10, name, "name", "start")
        _text(svg, WIDTH - 20, top + 10, shown, "figure", "end")
        group = SubElement(svg, "g", {"class": f"series k{kind % KINDS}"})
        if point.low is not None and point.high is not None:
            _line(group, x(point.low), top + 27, x(point.high), top + 27, "whisker")
        _marker(group, kind, x(point.y), top + 27, point.title)
    return tostring(svg, encoding="unicode")


def legend_mark(kind: int) -> str:
    """Return a series' marker and line, to show before its name."""
    svg = Element("svg", {"viewBox": "0 0 30 14", "class": "mark", "aria-hidden": "true"})
    group = SubElement(svg, "g", {"class": f"series k{kind % KINDS}"})
    SubElement(group, "polyline", {"points": "1,7 29,7", "class": "curve"})
    _marker(group, kind, 15, 7, "")
    return tostring(svg, encoding="unicode")


def as_file(svg: str) -> str:
    """Return a plot as the content of a file, with its own style sheet."""
    drawn = fromstring(svg)
    _, _, width, height = drawn.get("viewBox", "").split()
    drawn.set("xmlns", "http://www.w3.org/2000/svg")
    drawn.set("width", str(2 * int(width)))
    drawn.set("height", str(2 * int(height)))
    style = Element("style")
    style.text = _FILE_STYLE
    drawn.insert(0, style)
    return f"{tostring(drawn, encoding='unicode')}\n"


_COLOURS = ("#0b62a4", "#c04d06", "#00745a", "#97398a", "#7d6200", "#2f83ba", "#5f6266", "#b03055")
_FILE_STYLE = (
    ".plot{background:#fff}"
    ".plot text{font:12px system-ui,sans-serif;fill:#585d64}.plot .name{fill:#1c1e21;"
    "paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
    ".grid{stroke:#e3e0da}.axis{stroke:#585d64}.median{stroke:#1c1e21}"
    ".curve{fill:none;stroke-width:1.8}"
    + "".join(f".k{n} rect{{fill:{colour}}}" for n, colour in enumerate(_COLOURS))
)


def nice_ticks(low: float, high: float) -> list[float]:
    """Return four to six round values that cover `low` to `high`."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / 4))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n * 5 >= span)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def _log_ticks(low: float, high: float) -> list[int]:
    ticks = [
        factor * 10**power
        for power in range(7)
        for factor in (1, 2, 5)
        if low <= factor * 10**power <= high
    ]
    while len(ticks) > 7:
        ticks = ticks[::2]
    return ticks


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = high - low or 1.0
    return lambda value: start + (end - start) * (value - low) / span


def _even_scale(ticks: Sequence[float]) -> Callable[[float], float]:
    step = (WIDTH - _RIGHT - _LEFT) / max(1, len(ticks))
    places = {tick: _LEFT + step * (number + 0.5) for number, tick in enumerate(ticks)}
    return lambda value: places[value]


def _svg(title: str, description: str, *, height: int = HEIGHT) -> Element:
    svg = Element("svg", {"viewBox": f"0 0 {WIDTH} {height}", "class": "plot", "role": "img"})
    svg.set("aria-label", f"{title}. {description}")
    return svg


def _axes(
    svg: Element,
    x: Callable[[float], float],
    y: Callable[[float], float],
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
    x_label: str,
) -> None:
    for tick in y_ticks:
        _line(svg, _LEFT, y(tick), WIDTH - _RIGHT, y(tick), "grid")
        _text(svg, _LEFT - 8, y(tick) + 4, f"{tick:g}", "tick", "end")
    base = HEIGHT - _BOTTOM
    _line(svg, _LEFT, base, WIDTH - _RIGHT, base, "axis")
    for tick in x_ticks:
        _line(svg, x(tick), base, x(tick), base + 4, "axis")
        _text(svg, x(tick), base + 18, f"{tick:,g}", "tick", "middle")
    _text(svg, (_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 8, x_label, "label", "middle")


def _marker(parent: Element, kind: int, x: float, y: float, title: str) -> None:
    """Draw one of four shapes; from the fifth kind on they are hollow."""
    shape = kind % 4
    look = {"class": "marker" if kind % KINDS < 4 else "marker hollow"}
    if shape == 0:
        mark = SubElement(parent, "circle", _numbers(cx=x, cy=y, r=4) | look)
    elif shape == 1:
        mark = SubElement(
            parent, "rect", _numbers(x=x - 3.6, y=y - 3.6, width=7.2, height=7.2) | look
        )
    else:
        turns = 4 if shape == 2 else 3
        corners = [
            (x + 5 * math.sin(2 * math.pi * n / turns), y - 5 * math.cos(2 * math.pi * n / turns))
            for n in range(turns)
        ]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        mark = SubElement(parent, "polygon", {"points": points} | look)
    if title:
        SubElement(mark, "title").text = title


def _line(parent: Element, x1: float, y1: float, x2: float, y2: float, look: str) -> None:
    SubElement(parent, "line", _numbers(x1=x1, y1=y1, x2=x2, y2=y2) | {"class": look})


def _text(parent: Element, x: float, y: float, text: str, look: str, anchor: str) -> None:
    element = SubElement(parent, "text", _numbers(x=x, y=y) | {"class": look})
    element.set("text-anchor", anchor)
    element.text = text


def _numbers(**values: float) -> dict[str, str]:
    return {name: f"{value:.1f}" for name, value in values.items()}
