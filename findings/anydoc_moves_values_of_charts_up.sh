#!/usr/bin/env bash
# firecrawl-anydoc 0.2.4: if a point of a chart is empty, the values below it move up a row, so that June
# has what July sold and July has nothing. PowerPoint stores the number of each point and shows a gap.
# Exits 0 while this holds; output: "May 7, June 9, July -".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  firecrawl-anydoc==0.2.4 python-pptx==1.0.2
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from anydoc import to_markdown
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

data = CategoryChartData()
data.categories = ["May", "June", "July"]
data.add_series("Boats sold", (7, None, 9))
show = Presentation()
slide = show.slides.add_slide(show.slide_layouts[6])
place = (Inches(1), Inches(1), Inches(6), Inches(4))
frame = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
assert tuple(frame.chart.plots[0].series[0].values) == (7.0, None, 9.0)
show.save("boats.pptx")

lines = [line for line in to_markdown("boats.pptx").split("\n") if line.startswith("| ")]
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
shown = {row[0]: row[1].removesuffix(".0") or "-" for row in rows if row[0] in ("May", "June", "July")}
print(", ".join(f"{month} {sold}" for month, sold in shown.items()))
raise SystemExit(shown != {"May": "7", "June": "9", "July": "-"})
PYTHON
