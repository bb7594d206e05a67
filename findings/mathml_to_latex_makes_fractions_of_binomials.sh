#!/usr/bin/env bash
# mathml-to-latex 1.0.0 writes a binomial coefficient, which MathML has as a fraction without a line, as a fraction: 10
# over 3 is 10/3, and no longer 120. Of "A does not contain x" (∌) it makes "A is not in x", of "not less" (≮) "</".
# Exits 0 while this holds; output: "\frac{10}{3}" of what latex2mathml 3.81.1 makes of "\binom{10}{3}", "A \not\in x".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mathml-to-latex==1.0.0 latex2mathml==3.81.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import latex2mathml.converter
from mathml_to_latex.converter import MathMLToLaTeX

SIGNS = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>A</mi><mo>{}</mo><mi>x</mi></math>'
to_latex = MathMLToLaTeX().convert
binomial = to_latex(latex2mathml.converter.convert(r"\binom{10}{3}"))
signs = [to_latex(SIGNS.format(sign)) for sign in "∌∉≮"]
print(binomial, signs)
raise SystemExit(r"\frac{10}{3}" not in binomial or signs != [r"A \not\in x", r"A \notin x", "A </ x"])
PYTHON
