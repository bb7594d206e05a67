#!/usr/bin/env bash
# text2num 3.1.0 and word2number 1.1, which make digits of words as transcripts have them, add up the ends of a range:
# "between one hundred and two hundred" is "between 102 100", and "five to ten" is 15. A "thirty second break" is the
# 32nd, minus five is 5, and 2.5 million in French is 2,5000000. numerizer 0.2.4 makes "in 1 2nd" of "in a second".
# Exits 0 while this holds; output for "one point five million": "1.5 1000000", 1 and "1 point 5000000".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check text2num==3.1.0 word2number==1.1 numerizer==0.2.4
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
from numerizer import numerize
from text_to_num import alpha2digit
from word2number.w2n import word_to_num

MILLIONS = "one point five million"
SEEN = [
    (alpha2digit("between one hundred and two hundred", "en"), "between 102 100"),
    (alpha2digit("a thirty second break", "en"), "a 32nd break"),
    (alpha2digit("deux virgule cinq millions d'euros", "fr"), "2,5000000 d'euros"),
    (alpha2digit(MILLIONS, "en"), "1.5 1000000"),
    ([word_to_num(words) for words in ("five to ten", "minus five", MILLIONS)], [15, 5, 1]),
    ([numerize(words) for words in ("in a second", MILLIONS)], ["in 1 2nd", "1 point 5000000"]),
]
print(*(read for read, _ in SEEN), sep="\n")
raise SystemExit(any(read != seen for read, seen in SEEN))
PYTHON
