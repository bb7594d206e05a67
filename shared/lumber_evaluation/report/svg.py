"""Plots as self-contained SVG, without scripts, fonts or images.

Colours come from the page's style sheet by class, so they follow its light and dark themes. Series
differ in marker and dash as well as in colour, and each is labelled at its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

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
    x_ticks: Sequence[float],
) -> str:
    """Return a plot of lines with markers.

    Args:
        series: What to draw; every point has a `<title>`, shown as a tooltip.
        title: Its title.
        description: What it shows, for screen readers.
        x_label: Label of the x axis.
        x_ticks: The values in x, which are evenly spaced.
    """
    x = _even_scale(x_ticks)
    points = [point for one in series for point in one.points]
    tops = [point.y if point.high is None else point.high for point in points]
    y_ticks = nice_ticks(0, max([*tops, 1e-9]))
    y = _scale(y_ticks[0], y_ticks[-1], HEIGHT - _BOTTOM, _TOP)

    svg = _svg(title, description)
    _axes(svg, x, y, x_ticks, y_ticks, x_label)
    for number, one in enumerate(series):
        # Side by side, so that no interval hides another.
        shift = 6 * (number - (len(series) - 1) / 2)
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


def nice_ticks(low: float, high: float) -> list[float]:
    """Return four to six round values that cover `low` to `high`."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / 4))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n * 5 >= span)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


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
