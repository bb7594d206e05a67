"""Reads the charts of Office Open XML as titles and tables."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from xml.sax.saxutils import escape

from lumber_files.formats.number_formats import show_number
from lumber_files.formats.package import SPACES


def rewrite_chart(chart: Any) -> bytes:
    """Return the XML of a chart whose titles and table anydoc reads."""
    title, rows = read_chart(chart)
    columns = [[f"<v>{escape(text)}</v>" for text in column] for column in zip(*rows, strict=True)]
    labels = "".join(text for column in columns[:1] for text in column[1:])
    series = "".join(
        f"<ser><tx>{name}</tx><cat>{labels}</cat><val>{''.join(values)}</val></ser>"
        for name, *values in columns[1:]
    )
    return f'<c xmlns="{SPACES["c"]}"><title>{escape(title)}</title>{series}</c>'.encode()


def read_chart(chart: Any) -> tuple[str, list[list[str]]]:
    """Return the titles of a chart and its axes, and the rows of its values below their names.

    Categories come first, and again before each series with other categories.
    """
    titles: dict[bool, list[str]] = {True: [], False: []}
    for title in chart.iter("{*}title"):
        text = "".join(title.itertext("{*}t")).strip()
        titles[title.getparent().tag.endswith("}chart")] += [text] * bool(text)
    axes = ", ".join(titles[False])
    columns: list[tuple[str, dict[int, str]]] = []
    before = None
    newer = {data.get("id"): data for data in chart.iterfind("{*}chartData/{*}data")}
    for series in chart.iter("{*}ser", "{*}series"):
        source = newer.get(series.xpath("string(*[local-name()='dataId']/@val)"), series)
        labels, values = (
            {n: text for kind in kinds for n, text in _points(source.find(f"{{*}}{kind}")).items()}
            for kinds in (("cat", "xVal", "strDim"), ("val", "yVal", "numDim"))
        )
        if before is None or (labels and labels != before):
            columns.append(("", before := labels))
        columns.append(("".join(v.text or "" for v in series.iterfind("{*}tx//{*}v")), values))
        sizes = _points(series.find("{*}bubbleSize"))
        columns += [("", sizes)] if sizes else []
    numbers = sorted(set().union(*(points for _, points in columns)))
    rows = [[points.get(number, "") for _, points in columns] for number in numbers]
    title = " ".join([*titles[True], *[f"({axes})"][: len(axes)]])
    return title, [[name for name, _ in columns], *rows] if rows else []


def _points(source: Any) -> dict[int, str]:
    """Return the texts of points by their numbers, with the names of their groups."""
    shown: dict[int, str] = {}
    path = "descendant-or-self::*[*[local-name()='pt']]"  # the innermost group comes first
    for level in () if source is None else source.xpath(path):
        points: dict[int, str] = {}
        for point in level.iterfind("{*}pt"):
            text = point.findtext("{*}v", point.text or "")
            form = level.findtext("{*}formatCode") or level.get("formatCode")
            with suppress(ValueError):
                text = show_number(float(text), form) if form else text
            points[int(point.get("idx", len(points)))] = text
        group = ""
        for number in sorted(shown or points):
            group = points.get(number, group)
            shown[number] = f"{group} {shown.get(number, '')}".strip()
    return shown
