#!/usr/bin/env bash
# price-parser 0.5.1 reads a price of petrol with three decimals, "1.799 €", as 1799, although a litre costs less than
# two. It reads "2 for $5" as 2 dollars, "3 items, $20" as 3 dollars, and "$1.5 million" as one and a half.
# Exits 0 while this holds; output: 1799 €, 2 $, 3 $ and 1.5 $.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check price-parser==0.5.1
cd "$folder"
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
from price_parser import Price

TEXTS = ["1.799 €", "2 for $5", "3 items, $20", "$1.5 million"]
prices = [f"{price.amount} {price.currency}" for price in map(Price.fromstring, TEXTS)]
print(dict(zip(TEXTS, prices)))
raise SystemExit(prices != ["1799 €", "2 $", "3 $", "1.5 $"])
PYTHON
